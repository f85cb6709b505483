"""One function looks a message up: in another language, in the plural, around an element."""

from __future__ import annotations

import pickle

import pytest
from markupsafe import Markup

from kensaku.dialects import write_error
from kensaku.errors import ConfigError, InvalidQuery, KeyRefused, UnknownName
from kensaku.locale import languages, translator
from kensaku.messages import msg

GERMAN = """\
msgid ""
msgstr ""
"Language: qaa\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgctxt "the name of this language, in this language"
msgid "English"
msgstr "Deutsch"

msgid "it does not take this key"
msgstr "der Schlüssel wird nicht angenommen"

msgid "{n} hit"
msgid_plural "{n} hits"
msgstr[0] "{n} Treffer (einer)"
msgstr[1] "{n} Treffer"

# The placeholder is wrong.
msgid "{name} is empty"
msgstr "{nahme} ist leer"

#, fuzzy
msgid "Search"
msgstr "Suchen"

msgid "Two\\nlines"
msgstr ""
"Zwei\\n"
"\\"Zeilen\\""

#~ msgid "gone"
#~ msgstr "fort"
"""
RULE = 'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=n ! 1;\\n"\n'


@pytest.fixture
def german(machine):
    """A person's own catalogue: one file."""
    (machine / "locale").mkdir(parents=True)
    path = machine / "locale" / "qaa.po"
    path.write_text(GERMAN, encoding="utf-8")
    return path


def test_english_is_in_the_code():
    """And needs no catalogue."""
    t = translator("en")

    assert (t.language, t("Search")) == ("en", "Search")
    assert [t("{n} hit", "{n} hits", n=n) for n in (0, 1, 2)] == ["0 hits", "1 hit", "2 hits"]
    assert t("{a} and {b}", a="{b}", b=1) == "{b} and 1"
    assert t("{no value}") == "{no value}"


@pytest.mark.parametrize("tag", ["ja", "JA", "ja-JP", "ja_JP.UTF-8", "ja_JP"])
def test_a_language_is_known_by_any_of_its_tags(tag):
    """As browsers, terminals and people write them."""
    assert translator(tag).language == "ja"


@pytest.mark.parametrize("tag", ["", "C", "C.UTF-8", "en-GB", "tlh", "../ja", "x" * 300])
def test_a_language_without_a_catalogue_is_english(tag):
    """The translator says so."""
    assert translator(tag).language == "en"


def test_a_third_language_is_one_file(german):
    """Beside the settings; what it does not translate stays English."""
    t = translator("qaa-AT")
    error = KeyRefused("tavily", "no", status=401)

    assert languages().items() >= {"en": "English", "qaa": "Deutsch", "ja": "日本語"}.items()
    assert t(KeyRefused.summary) == "der Schlüssel wird nicht angenommen"
    assert [t("{n} hit", "{n} hits", n=n) for n in (1, 2)] == ["1 Treffer (einer)", "2 Treffer"]
    assert t("Two\nlines") == 'Zwei\n"Zeilen"'
    assert t("nothing found") == "nothing found"
    assert write_error(error, "plain:qaa") == "der Schlüssel wird nicht angenommen (HTTP 401)"


def test_what_nobody_has_looked_at_is_not_used(german):
    """A guess of a tool, and a translation with a value that is not there."""
    t = translator("qaa")

    assert t("Search") == "Search"
    assert t("{name} is empty", name="query") == "query is empty"


def test_own_words_come_before_ours(machine):
    """Who does not like a translation has another; the rest stays ours."""
    (machine / "locale").mkdir(parents=True)
    text = 'msgid ""\nmsgstr "Plural-Forms: nplurals=1; plural=0;\\n"\n\nmsgid "Search"\nmsgstr "探す"\n'
    (machine / "locale" / "ja.po").write_text(text, encoding="utf-8")

    assert translator("ja")("Search") == "探す"
    assert translator("ja")("Sources") == "出典"


@pytest.mark.parametrize("text", ['msgid "a"\nmsgstr b\n', "\x00", 'msgid "a"\n', "", RULE])
def test_a_broken_catalogue_is_named(german, text):
    """And what to do about it."""
    german.write_text(text, encoding="utf-8")

    with pytest.raises(ConfigError, match=r"qaa\.po") as failed:
        translator("qaa")
    assert "msgfmt" in failed.value.remedy


def test_a_dialect_names_the_languages_there_are(german):
    """When it is asked for another."""
    with pytest.raises(UnknownName, match=r"en, .*ja, .*qaa"):
        write_error(KeyRefused("tavily", "no"), "plain:tlh")


def test_an_element_stands_inside_a_sentence():
    """Around it the sentence is escaped, and so are the other values."""
    field = Markup("<b>{n}</b>")

    said = translator("en")("{who} has < {n} tokens", n=field, who="<i>")

    assert said == Markup("&lt;i&gt; has &lt; <b>{n}</b> tokens")
    assert isinstance(said, Markup)


def test_a_message_is_translated_later(german):
    """An error is raised where nobody knows the reader's language; it keeps its values."""
    hits = msg("{n} hit", "{n} hits", n=1)
    error = InvalidQuery(msg("{name} is empty", name="query"), remedy=msg("Two\nlines"))
    error = pickle.loads(pickle.dumps(error))

    assert str(error) == "query is empty; Two\nlines"
    assert translator("qaa")(error.remedy) == 'Zwei\n"Zeilen"'
    assert translator("qaa")(hits) == "1 Treffer (einer)"
    assert translator("en")(hits) == hits == "1 hit"
    assert translator("qaa")(pickle.loads(pickle.dumps(hits))) == "1 Treffer (einer)"
    assert (
        translator("ja")(msg("English", context="the name of this language, in this language"))
        == "日本語"
    )
