"""What a page says about itself for machines."""

from __future__ import annotations

import json

import pytest

from kensaku.extract.html.structured import kinds, read_json_ld, read_marked, read_tags
from kensaku.extract.html.tree import parse_html


def test_meta_tags_are_read_by_their_names() -> None:
    """By property, name or itemprop, in lower case; papers name up to fifty authors."""
    root = parse_html(
        "<meta property=' OG:Title ' name=x content=a><meta name=x content=b><meta itemprop=y content=c>"
        "<meta name=x content=''><meta content=d><meta name=z>"
        f"<meta name=long content={'x' * 1_001}>" + "<meta name=many content=1>" * 51 + "<p>x"
    )
    tags = read_tags(root)

    assert tags == {"og:title": ["a"], "x": ["b"], "y": ["c"], "long": ["x" * 1_000],
                    "many": ["1"] * 50}  # fmt: skip


def test_elements_are_marked_by_itemprop_or_rel() -> None:
    """Links of the head are read elsewhere."""
    root = parse_html("<link rel=icon href=/><a rel=author>a</a><i itemprop=name>b</i><b>c</b>")

    assert [element.tag for element in read_marked(root)] == ["a", "i"]


@pytest.mark.parametrize(
    ("script", "facts"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('[{"a": 1}, {"b": {"c": 2}}]', [{"a": 1}, {"b": {"c": 2}}, {"c": 2}]),
        ('<!-- {"a": 1} -->', [{"a": 1}]),
        ('//<![CDATA[\n{"a": 1}\n//]]>', [{"a": 1}]),
        ('<![CDATA[{"a": 1}]]>', [{"a": 1}]),
        ('{"a": [1, 2,], }', [{"a": [1, 2]}]),
        ('{"a": "two\nlines"}', [{"a": "two\nlines"}]),
        ("{broken", []),
        ('"text"', []),
        ("[" * 100_000, []),
    ],
)
def test_json_ld_is_read_with_the_faults_that_templates_leave(
    script: str, facts: list[dict[str, object]]
) -> None:
    """Wrappers, commas at the end, lines inside of strings."""
    root = parse_html(f'<script type="application/ld+json">{script}</script><p>x')

    assert read_json_ld(root) == facts


def test_json_ld_has_bounds() -> None:
    """500,000 characters of a script, 500 values; other scripts are not read."""
    most = json.dumps({"a": "x" * 499_991})
    many = json.dumps([{"n": n} for n in range(500)])

    def facts(script: str, kind: str = "application/ld+json") -> int:
        return len(read_json_ld(parse_html(f"<script type='{kind}'>{script}</script><p>x")))

    assert (len(most), facts(most), facts(most + " ")) == (500_000, 1, 0)
    assert facts(many) == 499  # the list is a value, too
    assert facts('{"a": 1}', "application/json") == 0


@pytest.mark.parametrize(
    ("written", "found"),
    [("Article", {"Article"}), (["A", 1, "B"], {"A", "B"}), (None, set()), ({"a": 1}, set())],
)
def test_an_object_has_types(written: object, found: set[str]) -> None:
    """One, several, or none."""
    assert kinds({"@type": written}) == found
