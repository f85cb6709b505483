"""Which pages a run reads, and what it keeps of them."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.answers.evidence import Evidence
from kensaku.answers.gather import keep_page
from kensaku.answers.questions import Subquestion
from kensaku.answers.report.write import evidence_of, find_subtopics
from kensaku.models import Hit, Page
from tests.answers.report.states import (
    PAGE,
    SOURCE,
    A,
    B,
    C,
    finished,
    found,
    plan,
    read,
    state,
    weighed,
)


def hits(*urls: str, provider: str = "tavily") -> list[Hit]:
    return [Hit(url, "T", provider=provider) for url in urls]


def searched(*results: dict[str, Any], effort: str = "mini", **options: Any) -> Any:
    """A run whose first round found these."""
    questions = [f"q{n}" for n in range(len(results))]
    steps = {f"search-1-{n}": r for n, r in enumerate(results, 1)}
    return state({"plan": plan(*questions, effort=effort), **steps}, **options)


def test_pages_are_read_in_turns_between_the_questions() -> None:
    """Each once, only of the web, and none of an excluded domain."""
    run = searched(
        found(*hits(A, B, "ftp://x.example/", "https://sub.c.example/")),
        found(*hits(B), *hits("https://local.example/", provider="local"), *hits(C)),
        exclude_domains=["c.example"],
    )
    assert run.pages_to_read(1) == [A, B]
    assert searched(found(*hits(A, B)), found(*hits(C))).pages_to_read(1) == [A, C, B]
    assert searched(found(*hits("http://a.example/"))).pages_to_read(1) == ["http://a.example/"]


@pytest.mark.parametrize(
    ("effort", "known", "most"), [("mini", 0, 6), ("mini", 4, 2), ("mini", 7, 0), ("pro", 0, 20)]
)
def test_so_many_pages_are_read(effort: str, known: int, most: int) -> None:
    """Of all rounds together; what was read is not read again."""
    pages = [{**PAGE, "url": f"https://a.example/{n}"} for n in range(known)]
    urls = [f"https://a.example/{n}" for n in range(30)]
    run = searched(found(*hits(*urls)), effort=effort).record("read-1", read(*pages))

    assert run.pages_to_read(1) == urls[known : known + most]


def test_a_short_page_is_kept_whole() -> None:
    """With what it says of itself, and its headings of three levels."""
    markdown = "# Title\n\n## One ##\n\nx\n\n### Two  \n\n##### Deep\n\n## a\n\n##No\n\n#### Four"
    kept = keep_page(Page(A, "Title", "Some text.", markdown, "Ann", "2024", favicon="f"), ["q"])

    said = {n: kept[n] for n in ("url", "title", "published", "author", "favicon")}
    assert list(said.values()) == [A, "Title", "2024", "Ann", "f"]
    assert kept["headings"] == ["One", "Two", "Four"]
    assert [(p["text"], p["start"], p["end"]) for p in kept["passages"]] == [("Some text.", 0, 10)]


def test_forty_headings_are_kept() -> None:
    """Of at most 120 characters, within the first 300,000."""
    long, far = f"## {'a' * 120}\n## {'b' * 121}\n", "x" * 300_000 + "\n## Far"
    kept = keep_page(Page(A, "T", "x", long + "## Near\n" + far), [])
    many = keep_page(Page(A, "T", "x", "\n".join(f"## Heading {n}" for n in range(41))), [])

    assert kept["headings"] == ["a" * 120, "Near"]
    assert many["headings"] == [f"Heading {n}" for n in range(40)]


def test_of_a_long_page_the_best_passages_are_kept() -> None:
    """Those of each question in turns, in the order of the page, up to 40,000 characters."""
    whole = Page(A, "T", "x" * 40_000)
    assert [p["end"] for p in keep_page(whole, ["otters"])["passages"]] == [40_000]

    filler = "Nothing is said of it here at all. " * 3_000
    text = f"{filler}Sea otters sleep in kelp. {filler}Sea urchins are food. {filler}"
    kept = keep_page(Page(A, "T", text), ["otters sleep", "urchins food"])["passages"]
    texts = [p["text"] for p in kept]

    assert sum(map(len, texts)) <= 40_000
    assert sum(map(len, texts)) > 35_000
    assert any("otters sleep in kelp" in t for t in texts)
    assert any("urchins are food" in t for t in texts)
    assert [p["start"] for p in kept] == sorted({p["start"] for p in kept})
    assert all(text[p["start"] : p["end"]] == p["text"] for p in kept)


def test_a_page_adds_what_its_hit_did_not_say() -> None:
    """And its passages stand for the snippet."""
    for hit, said in (
        (Hit(A, "", "snippet", raw_content="raw"), ("Sleep", "2024-03-02", "Ann", "f")),
        (
            Hit(A, "Own", "snippet", published="2020", author="Bob", favicon="g"),
            ("Own", "2020", "Bob", "g"),
        ),
    ):
        evidence = Evidence([Subquestion("hands", ("hands",))], "estimate")
        evidence.add(0, found(hit))
        [before] = evidence.references(evidence.citations("hands")).values()
        evidence.add_pages(read(PAGE))
        [after] = evidence.references(evidence.citations("hands")).values()

        assert (before.origin, after.origin) == ("web", "page")
        assert (after.title, after.published, after.author, after.favicon) == said
        assert [p.text for p in after.passages] == ["Otters hold hands."]


def test_evidence_is_numbered_and_sorted_by_preference() -> None:
    """By first use; a question has its own, those that are preferred first, and files last."""
    run = searched(
        found(Hit(A, "Sleep", "Otters sleep in kelp."), Hit(B, "B", "Otters sleep, too.")),
        found(Hit(C, "C", "Otters sleep at night."), confidence=0.3),
        found(Hit("https://d.example/", "D", "Otters sleep."), outcome="unavailable"),
        include_domains=["b.example"],
        files=[{"name": "n.txt", "text": "Otters sleep by day."}],
    )
    evidence = evidence_of(run, "estimate")

    assert [c.n for c in evidence.citations("otters sleep", 0)] == [3, 2, 1]
    assert [c.n for c in evidence.citations("otters sleep", 1)] == [4, 1]
    assert {c.n for c in evidence.citations("otters sleep")} == {1, 2, 3, 4}
    assert [f.confidence for f in evidence.findings()] == [0.8, 0.3, None]
    assert evidence_of(searched(found()), "estimate").citations("otters") == ()


def test_a_source_of_two_questions_has_each_passage_once() -> None:
    """In the order of the page."""
    evidence = evidence_of(finished(), "estimate")
    twice = [*evidence.citations("otters hands", 0), *evidence.citations("hold", 0)]

    assert {c.published for c in twice} == {"2024-03-02"}
    assert {n: r.to_dict() for n, r in evidence.references(twice).items()} == {1: SOURCE}


def test_subtopics_are_the_headings_of_several_pages() -> None:
    """Of 2 to 60 characters; not those that every page has, nor the subject itself."""
    common = ["References", "Sea otters", "See also", "脚注", "関連項目"]
    headings = ["Kelp", "kelp", *common, "a" * 60, "b" * 61, "c"]
    pages = [
        {**PAGE, "url": A, "headings": ["Food", *headings]},
        {**PAGE, "url": B, "headings": ["KELP", "x"]},
    ]
    run = searched(found()).record("read-1", read(*pages))

    assert find_subtopics(run, 9) == ["Kelp", "Food", "a" * 60]
    assert find_subtopics(run, 1) == ["Kelp"]


def test_the_confidence_of_a_question_is_that_of_its_best_search() -> None:
    """Of those that could be made; files alone have none."""
    results = {
        "plan": plan("a", "b", "c"),
        "search-1-1": found(confidence=0.2),
        "search-1-2": found(confidence=None),
        "search-1-3": found(outcome="unavailable", confidence=0.9),
        "weigh-1": weighed(0),
        "search-2-1": found(confidence=0.7),
    }
    findings = evidence_of(state(results), "estimate").findings()

    assert [f.confidence for f in findings] == [0.7, None, None]
