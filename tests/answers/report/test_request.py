"""The parameters of a run: every value is checked, at its bound and beside it."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku.answers.report.attachments import Attachment, read_files
from kensaku.answers.report.request import ResearchRequest, check_schema
from kensaku.answers.report.state import choose_effort
from kensaku.errors import InvalidQuery

PROPERTIES = {"properties": {"a": {"type": "string"}}}


def test_a_request_is_ready_for_json() -> None:
    """Read again it is the same; what is in it is in no log."""
    full = ResearchRequest(
        " otters ", "pro", "long", "apa", PROPERTIES, ("a.example",), ("b.example",),
        ({"name": "n.txt", "text": "x"},), "tavily, local", "docs", 60,
    )  # type: ignore[arg-type]  # fmt: skip
    told = json.loads(json.dumps(full.to_dict()))

    assert ResearchRequest(**told) == full
    assert (told["input"], told["route"]) == ("otters", ["tavily", "local"])
    assert told["files"] == [{"name": "n.txt", "text": "x"}]
    assert "otters" not in repr(full)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"input": "  "}, "the input is empty"),
        ({"input": b"x"}, "the input must be text, not bytes"),
        ({"input": "\ud800"}, "Unicode"),
        ({"input": "x" * 10_001}, "the input has 10,001 characters; at most 10,000"),
        ({"model": ["mini"]}, "one of mini, pro, auto"),
        ({"output_length": "endless"}, "one of short, standard, long"),
        ({"citation_format": "ieee"}, "one of numbered, mla, apa, chicago"),
        ({"exclude_domains": ["not a host"]}, "no host name"),
        ({"exclude_domains": [f"{n}.example" for n in range(21)]}, "exclude_domains has 21 entries"),
        ({"timeout": True}, "more than 0"),
        ({"timeout": 3_600.5}, "timeout is 3600.5; it must be more than 0 and at most 3600 s"),
        ({"route": 7}, "route must be a name or a list of names"),
        ({"collection": "no/name"}, "collection"),
    ],
)  # fmt: skip
def test_what_is_beyond_a_bound_is_said(options: dict[str, Any], words: str) -> None:
    """With the value."""
    with pytest.raises(InvalidQuery) as caught:
        ResearchRequest(**{"input": "otters", **options})
    assert words in str(caught.value)


def nested(levels: int) -> dict[str, Any]:
    """A schema of so many levels."""
    return {"properties": {"a": nested(levels - 1)}} if levels > 1 else {"type": "string"}


@pytest.mark.parametrize(
    "schema",
    [
        nested(5),
        {"properties": {t: {"type": t} for t in ("string", "integer", "number", "boolean")}},
        {"properties": {"a": {"type": "array", "items": {"type": "string"}}, "b": {}}},
        {"properties": {"a": {"description": "x" * (20_000 - 42)}}},
    ],
)
def test_a_schema_of_ours_is_taken(schema: Any) -> None:
    """Five levels, 20,000 characters, six types."""
    check_schema(schema)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (nested(6), "nested deeper than 5 levels"),
        (nested(1), "needs properties"),
        ({"properties": {"a": 7}}, "must be an object"),
        (["a"], "must be an object"),
        ({"properties": {"a": {"type": "array", "items": {"type": "x"}}}}, "is 'x'; it must be one of "
         "object, string, integer, number, array, boolean"),
        ({"properties": {"a": {"description": "x" * (20_000 - 41)}}}, "has 20,001 characters"),
        ({"properties": {"a": {"default": {1}}}}, "is not JSON"),
    ],
)  # fmt: skip
def test_a_schema_that_is_none_of_ours_is_refused(schema: Any, words: str) -> None:
    """Before anything is searched for."""
    with pytest.raises(InvalidQuery) as caught:
        check_schema(schema)
    assert words in str(caught.value)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_files_are_read_in_three_forms() -> None:
    """As base64, as text, or read already; each is cited by its name."""
    files = read_files(
        [
            {"name": "a\n.TXT", "data": encoded("one"), "type": "base64"},
            {"name": "b.md", "text": "two\u200b"},
            Attachment("c.json", "3"),
        ]
    )

    assert [f.to_dict() for f in files] == [
        {"name": "a .TXT", "text": "one"},
        {"name": "b.md", "text": "two"},
        {"name": "c.json", "text": "3"},
    ]
    assert files[1].url == "file:b.md"
    assert "two" not in repr(files[1])


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([{"name": "a.txt", "text": "x"}] * 6, "there are more than 5 files"),
        ([{"name": "a" * 197 + ".txt", "text": "x"}], f"the file '{'a' * 60}' is not one of .txt, .md"),
        ([{"name": "a.txt", "text": "w " * 80_000}, {"name": "b.txt", "text": "w"}],
         "characters; at most 80,000 and 1,000,000 are taken"),
        ([{"name": "a.txt", "text": "x" * 500_000}, {"name": "b.txt", "text": "x" * 500_001}],
         "2 words and 1,000,001 characters"),
        ([{"name": "a.txt", "data": "x" * 8_000_001}], "is longer than 1,000,000 characters"),
        ([{"name": "a.txt", "data": encoded("x"), "type": "url"}], "'a.txt' has no base64 data"),
        ([{"name": "a.txt", "data": "%%%"}], "not base64"),
        ([{"name": "a.txt", "data": "/w=="}], "not base64 of UTF-8"),
        ([{"name": 7, "data": ""}], 'a file is {"name"'),
        ({"name": "a.txt", "text": "x"}, "files must be a list"),
    ],
)  # fmt: skip
def test_files_beyond_that_are_refused(files: Any, words: str) -> None:
    """With their name."""
    with pytest.raises(InvalidQuery) as caught:
        read_files(files)
    assert words in str(caught.value)


@given(st.integers(1, 800) | st.sampled_from([400, 401]), st.integers(1, 9))
def test_auto_chooses_by_the_size_of_the_task(chars: int, questions: int) -> None:
    """More than four questions, or more than 400 characters, are a large one."""
    large = chars > 400 or questions > 4

    assert choose_effort("auto", "x" * chars, questions) == ("pro" if large else "mini")
    assert choose_effort("mini", "x" * chars, questions) == "mini"
