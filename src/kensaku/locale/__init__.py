"""What Kensaku says, in the reader's language. English stands in the code, the rest in `*.po`.

    t = translator("ja")
    t("Search")                                          → 検索
    t("{n} page read", "{n} pages read", n=3)            → 3ページを読みました
    t("by", context="group the figures by")              one English word, two meanings
    t(str(error))                                        an error with its remedy
    t(error.message)                                     a message that `kensaku.messages.msg` made

A catalogue is `<language>.po` in this folder; one in `locale/` beside the settings file adds a
language, or changes sentences of ours. Both are read at the first use. What no catalogue
translates stays English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku._settings_folder import settings_folder
from kensaku.messages import Translatable, fill

if TYPE_CHECKING:
    from kensaku.locale.recognise import Recogniser

HERE = Path(__file__).parent

Forms = Mapping[tuple[str, str], tuple[str, ...]]  # (context, English) → translations by number


class Translator:
    """The messages of one language."""

    def __init__(self, language: str, forms: Forms, plural: Callable[[int], int]) -> None:
        self.language = language
        self._forms = forms
        self._plural = plural
        self._recognise: Recogniser | None = None

    def __call__(self, one: str, many: str = "", /, *, context: str = "", **values: Any) -> str:
        """Translate a message and put the values into its placeholders.

        `many` is the English plural, and `n` the number that decides. A value with `__html__`
        is kept as it is, the rest of the text is escaped around it.
        """
        if isinstance(one, Translatable):
            message, values = one, one.values | values
            one, many, context = message.one, message.many, message.context
        values = {k: self(v) if isinstance(v, Translatable) else v for k, v in values.items()}
        english = one if not many or values.get("n") == 1 else many
        forms = self._forms.get((context, one))
        if forms is None:
            return fill(english, values) if values or many else self._again(one)
        form = self._plural(values["n"]) if many else 0
        try:
            return fill(forms[form], values)
        except (LookupError, ValueError):  # a placeholder or a form that is not there
            return fill(english, values)

    def _again(self, text: str) -> str:
        """Translate an English text that has lost the message it was made from."""
        if not self._forms:
            return text
        if self._recognise is None:
            from kensaku.locale.recognise import Recogniser

            one_form = (one for context, one in self._forms if not context)
            self._recognise = Recogniser(one_form)
        found = self._recognise(text)
        if found is None:
            return text
        message, values = found
        values = {n: self(v) if n in _SENTENCES else v for n, v in values.items()}
        plain = _FORMAT.sub(
            r"{\1}", self._forms["", message][0]
        )  # the values are formatted already
        return fill(plain, values)


_SENTENCES = ("message", "remedy", "text", "reason", "why")  # values that are messages themselves
_FORMAT = re.compile(r"\{(\w+)[!:][^}]*\}")

_ENGLISH = Translator("en", {}, lambda n: int(n != 1))


def translator(language: str) -> Translator:
    """Return the translator for a tag such as `ja`, `pt-BR` or `ja_JP.UTF-8`; else English.

    Its `language` says which one it is. Raises `ConfigError` for a catalogue that cannot be read.
    """
    tag = language.partition(".")[0].replace("-", "_").lower()
    if tag == "en" or tag.startswith("en_"):
        return _ENGLISH
    files = _catalogues(settings_folder() / "locale")
    name = next((name for name in (tag, tag.partition("_")[0]) if name in files), None)
    return _load(name, *files[name]) if name else _ENGLISH


def languages() -> dict[str, str]:
    """Return every language that there is a catalogue for: its code and its own name."""
    files = _catalogues(settings_folder() / "locale")
    found = {}
    for code in ["en", *sorted(files.keys() - {"en"})]:
        t = translator(code)
        found[code] = t("English", context="the name of this language, in this language")
    return found


@lru_cache(maxsize=8)
def _catalogues(own: Path) -> dict[str, list[Path]]:
    """Return the catalogues by language, in lower case: ours, then a person's own."""
    found: dict[str, list[Path]] = {}
    for path in (*HERE.glob("*.po"), *own.glob("*.po")):
        found.setdefault(path.stem.lower(), []).append(path)
    return found


@lru_cache(maxsize=32)
def _load(language: str, *paths: Path) -> Translator:
    from kensaku.locale.po import plural_rule, read

    (header, *entries), *others = map(read, paths)
    for _, *more in others:
        entries += more
    forms = {(e.context, e.one): e.strings for e in entries if all(e.strings) and not e.fuzzy}
    return Translator(language, forms, plural_rule(header))
