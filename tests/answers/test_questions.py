"""Questions out of an input, by rule, in English and Japanese alike."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.answers.questions import (
    compared,
    is_topic,
    keywords,
    split_questions,
    topic_of,
)
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
        ("Who directed Dr. Otter and who paid J. Vane?",
         ["Who directed Dr. Otter", "who paid J. Vane?"]),
    ],
)  # fmt: skip
def test_an_input_is_split_into_its_questions(text: str, questions: list[str]) -> None:
    """Once each; what only gives the setting is no question."""
    assert [q.text for q in split_questions(text)] == questions


def test_a_topic_asks_nothing() -> None:
    """It gets aspects instead of questions."""
    assert is_topic("sea otters")
    assert is_topic("ラッコの生態")
    assert not is_topic("how do otters sleep")
    assert not is_topic("ラッコは何を食べる")


@pytest.mark.parametrize(
    "piece", ["? ", "and who ", "、何", "- ", "compare a ", "と", "a vs ", ". A"]
)
def test_splitting_takes_linear_time(piece: str) -> None:
    """An input of ten thousand characters is somebody else's text."""
    assert growth(lambda n: split_questions(piece * (n // len(piece))), 2_500) < 9


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("Who led the Abbey of Cluny and when was it founded?",
         [("Who led the Abbey of Cluny", "led Abbey Cluny"),
          ("when was it founded? Abbey Cluny", "founded Abbey Cluny")]),
        ("When was Rome founded, who founded it, and why did it fall?",
         [("When was Rome founded", "Rome founded"), ("who founded it Rome", "founded Rome"),
          ("why did it fall? Rome founded", "fall Rome founded")]),
        ("What caused the oil crisis of 1973 in the United States and how many people lost work?",
         [("What caused the oil crisis of 1973 in the United States",
           "caused oil crisis 1973 United States"),
          ("how many people lost work? oil crisis 1973 United States",
           "many people lost work oil crisis 1973 United States")]),
        ("Tell me about the Black Death. How many people died?",
         [("Tell me about the Black Death.", "Tell Black Death"),
          ("How many people died? Black Death", "many people died Black Death")]),
        ("What is photosynthesis? How do volcanoes erupt?",
         [("What is photosynthesis?", "photosynthesis"),
          ("How do volcanoes erupt?", "volcanoes erupt")]),
        ("オスマン帝国はいつ建国され、そして首都はどこでしたか。",
         [("オスマン帝国はいつ建国され", "オスマン帝国は 建国され"),
          ("首都はどこでしたか。 オスマン帝国", "首都は でしたか オスマン帝国")]),
        ("How do otters sleep? What do they eat?",
         [("How do otters sleep?", "otters sleep"),
          ("What do they eat? otters sleep", "eat otters sleep")]),
        ("I visited Pisa in 2019. How old is it?", [("How old is it? Pisa 2019", "old Pisa 2019")]),
        ("Who led Rome? How old is Paris?",
         [("Who led Rome?", "led Rome"), ("How old is Paris?", "old Paris")]),
        ("What is it?", [("What is it?",)]),
        ("ピサの斜塔について教えてください。それはいつ建てられましたか？",
         [("ピサの斜塔について教えてください。", "ピサの斜塔"),
          ("それはいつ建てられましたか？ ピサ", "それは 建てられましたか ピサ")]),
        ("ラッコは何を食べ、どこに住んでいますか。",
         [("ラッコは何を食べ", "ラッコは を食べ"), ("どこに住んでいますか。 ラッコ", "に住んでいますか ラッコ")]),
    ],
)  # fmt: skip
def test_each_question_has_the_queries_that_find_it(text: str, queries: list[Any]) -> None:
    """Itself with its subject, and its keywords."""
    assert [q.queries for q in split_questions(text)] == queries


def test_questions_and_topics_are_bounded() -> None:
    """300 characters of a question, 20 cuts in it, 80 of a topic and seven words of it."""
    [long] = split_questions("what is " + "a" * 300)
    assert long.text == "what is " + "a" * 292
    assert long.queries == (long.text, "a" * 292)
    [own] = split_questions("I like " + "b" * 299 + ". What is it?")
    assert own.queries[0] == "What is it? " + "b" * 288
    assert (
        len(split_questions("what is a1" + ", what is b2" * 30)) == 3
    )  # the last has all the rest
    parts = ", ".join(f"what is a{n}" for n in range(30))
    assert len(split_questions(parts)) == 21

    assert is_topic("x" * 80)
    assert not is_topic("x" * 81)
    assert not is_topic("sea\notters")
    words = "cat sat mat near red houses grey"
    assert topic_of(f"the {words} on a roof in spring") == words


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("difference between lye and lime in terms of pH?", ["lye pH", "lime pH"]),
        ("Compare the area of Rome and Pisa", ["the area of Rome", "area of Pisa"]),
        ("ローマとピサの人口を比較して", ["ローマの人口", "ピサの人口"]),
        ("differences between the War of the Roses and the Apollo program",
         ["the War of the Roses", "the Apollo program"]),
        ("compare tea with coffee by price", ["tea price", "coffee price"]),
        ("Compare tea to coffee.", ["tea", "coffee"]),
        ("What are the differences between A1 and B2?", ["A1", "B2"]),
        ("tea versus coffee!", ["tea", "coffee"]),
        ("tea vs. coffee", ["tea", "coffee"]),
        ("緑茶と紅茶を比較してください", ["緑茶", "紅茶"]),
        ("tea and coffee", []),
    ],
)  # fmt: skip
def test_two_sides_are_compared(text: str, sides: list[str]) -> None:
    """Each with what is compared: on a page about lime, nobody speaks of lye."""
    assert compared(text) == sides


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What is the height of the tower in Pisa?", "height tower Pisa"),
        ("ピサの斜塔の高さを教えてください。", "ピサの斜塔の高さ"),
        ("What is the e-mail of Ann Lee and Ann Bo?", "e-mail Ann Lee Bo"),
        ("「夏目漱石」は、いつ、どこで生まれましたか？", "夏目漱石 は で生まれ"),
        ("le chat est sur la table", "chat table"),
        ("a.b@c.example and user_name", "a.b@c.example user_name"),
    ],
)
def test_keywords_are_what_one_types_into_a_search_box(text: str, words: str) -> None:
    """Each once; addresses and names stay whole."""
    assert keywords(text) == words
