"""Questions out of an input, by rule, in English and Japanese alike."""

from __future__ import annotations

import pytest

from kensaku.research.questions import compared, is_topic, keywords, split_questions
from tests.growth import growth


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("How do otters sleep?", ["How do otters sleep?"]),
        ("otters", ["otters"]),
        ("How do otters sleep? What do they eat?", ["How do otters sleep?", "What do they eat?"]),
        ("Who led the abbey and when was it founded?",
         ["Who led the abbey", "when was it founded?"]),
        ("When and why did the bridge fall?", ["When and why did the bridge fall?"]),
        ("- What is A?\n- What is B?", ["What is A?", "What is B?"]),
        ("1. What is A?\n2) What is B?", ["What is A?", "What is B?"]),
        ("I am writing a paper. How old is Rome?", ["How old is Rome?"]),
        ("Compare tea and coffee", ["Compare tea and coffee", "tea", "coffee"]),
        ("ラッコは何を食べますか。どこに住んでいますか。",
         ["ラッコは何を食べますか。", "どこに住んでいますか。"]),
        ("ラッコは何を食べ、どこに住んでいますか。", ["ラッコは何を食べ", "どこに住んでいますか。"]),
        ("- height of the tower\n- its architect", ["height of the tower", "its architect"]),
        ("日本の首都は", ["日本の首都は"]),
        ("・首都はどこ？\n・人口はいくつ？", ["首都はどこ？", "人口はいくつ？"]),
        ("緑茶と紅茶の違いを教えてください", ["緑茶と紅茶の違いを教えてください", "緑茶", "紅茶"]),
        ("How old is Rome? How old is rome?", ["How old is Rome?"]),
    ],
)  # fmt: skip
def test_an_input_is_split_into_its_questions(text: str, questions: list[str]) -> None:
    """Once each; what only gives the setting is no question."""
    assert [q.text for q in split_questions(text)] == questions


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Who led the Abbey of Cluny and when was it founded?",
         "when was it founded? led Abbey Cluny"),
        ("ラッコは何を食べ、どこに住んでいますか。", "どこに住んでいますか。 ラッコ"),
    ],
)  # fmt: skip
def test_the_second_half_of_a_question_is_searched_for_with_its_subject(
    text: str, query: str
) -> None:
    """`when was it founded` finds nothing by itself."""
    found = split_questions(text)[1].queries[0]

    assert set(query.split()) - {"led"} <= set(found.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What is the height of the tower in Pisa?", "height tower Pisa"),
        ("ピサの斜塔の高さを教えてください。", "ピサの斜塔の高さ"),
    ],
)
def test_keywords_are_what_one_types_into_a_search_box(text: str, words: str) -> None:
    """Without the words around them."""
    assert keywords(text) == words


def test_a_topic_asks_nothing() -> None:
    """It gets aspects instead of questions."""
    assert is_topic("sea otters")
    assert is_topic("ラッコの生態")
    assert not is_topic("how do otters sleep")
    assert not is_topic("ラッコは何を食べる")


def test_what_a_comparison_is_of() -> None:
    """Without what it is made by."""
    assert compared("difference between lye and lime in terms of pH?") == ["lye", "lime"]
    assert compared("otters") == []


@pytest.mark.parametrize(
    "piece", ["? ", "and who ", "、何", "- ", "compare a ", "と", "a vs ", ". A"]
)
def test_splitting_takes_linear_time(piece: str) -> None:
    """An input of ten thousand characters is somebody else's text."""
    assert growth(lambda n: split_questions(piece * (n // len(piece))), 2_500, tries=3) < 9
