"""Sentences as a reader sees them: whole, without the heading above."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.answers.sentences import joined_sentences, whole_sentences


def read(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in whole_sentences(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Otters\nSea otters hold hands. They eat.", ["Sea otters hold hands.", "They eat."]),
        ("## Sleep\nThey sleep.\n\n## Food\n\nThey eat.", ["They sleep.", "They eat."]),
        ("- Sea urchins\n- Clams", ["- Sea urchins", "- Clams"]),
        ("| otter | 45 kg |\n| seal | 90 kg |", ["| otter | 45 kg |", "| seal | 90 kg |"]),
        ("Weight 45 kg\nLength of the body 150 cm", ["Weight 45 kg", "Length of the body 150 cm"]),
        ("Brown v. Board of Education. Yes.", ["Brown v. Board of Education.", "Yes."]),
        ("価格\n価格は560ユーロです。", ["価格は560ユーロです。"]),
        ("A line that was wrapped by\nsomebody goes on. Yes.",
         ["A line that was wrapped by\nsomebody goes on.", "Yes."]),
        ("Sleep\n\nThey sleep. Yes.", ["Sleep", "They sleep.", "Yes."]),
        ("They sleep.\nFood\nThey eat it.", ["They sleep.", "Food\nThey eat it."]),
        ("x" * 60 + "\n" + "Y" * 61, ["Y" * 61]),
        ("x" * 61 + "\n" + "Y" * 62, ["x" * 61 + "\n" + "Y" * 62]),
        ("Otters\nSwim ab", ["Swim ab"]),
        ("Otters\nSwim a", ["Otters\nSwim a"]),
        ("Otters,\nSwim and sleep", ["Otters,\nSwim and sleep"]),
        ("Otters\nswim and sleep", ["Otters\nswim and sleep"]),
        ("2) Crabs\n* Clams", ["2) Crabs", "* Clams"]),
        ("Two things:\n12. Otters\n13. Seals", ["Two things:", "12. Otters", "13. Seals"]),
        ("How many? 12. Otters eat.", ["How many?", "12.", "Otters eat."]),
        ("They eat. and sleep. Yes.", ["They eat. and sleep.", "Yes."]),
        ("Run it:\n```sh\n# once\nmake\n```\nIt ends.", ["Run it:", "# once", "make", "It ends."]),
        ("It ends.\n~~~\nmake\n\nmake test", ["It ends.", "make", "make test"]),
        ("\n\n", []),
    ],
)  # fmt: skip
def test_sentences_are_whole_and_headings_are_left_out(text: str, sentences: list[str]) -> None:
    """List items, table rows and lines of code stand for themselves."""
    assert [s for s in read(text) if s] == sentences


def test_a_text_without_an_end_is_cut() -> None:
    """Abbreviations do not join sentences for ever."""
    text = "Mr. X. " * 2_000

    assert max(end - start for start, end in whole_sentences(text)) < 700


@pytest.mark.parametrize(
    "text",
    [
        "On Nov. 3 he met Rep. Smith at 9 a.m. Monday.| See p. 12 of Vol. II.| They left.",
        "It was No. 5 of the list.| Was it?| No.| They lost it in Sept. 2001.",
        "The U.S. Army landed there.| He lives in the U.S.| The army left at 5 p.m.| It rained.",
        "J. R. R. Tolkien and Dr. Lee Jr. agree.| Apple Inc. said so.| It won by 3.5 points.",
        "Khromov et al. (1998) doubt it.| His Op. 46 is by Mr. D., e.g. the dances.| Yes.",
        '"Stop." he said.| He wrote "Go."| Then he left.| Wait... what?',
        "彼は「もう行く。」と言った。|母は「そう。明日も来る？」という。|「はい。」|そう答えた。",
        "「待って！？」と叫んだ。|なぜ？と思った。|本当……なのか。|「行くよ」。と言われた。|とはいえ帰る。",
        "『忠烈！大和魂』を書いた。|二酸化炭素が放出される。|pHが上昇した。",
        "「閉じない。|次の文である。|その次。",
    ],
)
def test_a_sentence_ends_where_a_reader_ends_it(text: str) -> None:
    """Most of these were split wrongly on real pages; `|` stands where a sentence ends."""
    assert read(text.replace("|", "")) == [part.strip() for part in text.split("|")]


WORDS = st.sampled_from(
    ["otters", "Dr. Lee", "No. 5", "Nov. 3", "the U.S. Army", "J. F. Kennedy", "3.5", "e.g. clams",
     "9 a.m. Monday", "p. 12", "Brown v. Board", "Acme Corp. Ltd. shares", "Rep. Smith"]
)  # fmt: skip
ENGLISH = st.lists(WORDS, min_size=1, max_size=6).map(lambda w: f"They saw {' and '.join(w)} here.")
QUOTES = st.sampled_from(
    ["「行く。」と", "「え！？」って", "『なぜ？』という", "「待つ。そして行く。」と", "……"]
)
JAPANESE = st.lists(QUOTES, min_size=1, max_size=4).map(lambda q: f"彼は{'、'.join(q)}言った。")


@given(st.lists(ENGLISH, min_size=1, max_size=5), st.lists(JAPANESE, min_size=1, max_size=5))
def test_whatever_stands_in_a_sentence_does_not_end_it(en: list[str], ja: list[str]) -> None:
    """Abbreviations, initials, figures and quotations, in any order."""
    assert read(" ".join(en)) == en
    assert read("".join(ja)) == ja


@given(st.text(alphabet="aA .!?…。！？「」（）\n1と", max_size=80))
def test_sentences_cover_the_text(text: str) -> None:
    """Nothing is lost or said twice, whatever the text."""
    assert "".join(text[a:b] for a, b in joined_sentences(text, 0, len(text))) == text
