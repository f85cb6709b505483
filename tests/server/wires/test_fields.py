"""Fields of a request as every wire takes them: at the bounds, and the sentence for what is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kensaku.errors import InvalidQuery
from kensaku.server.wires import tavily
from kensaku.server.wires.base import Asked, Endpoint, Search
from tests.server.wires.performed import ENDPOINTS

NEEDED = {"query": "otters", "q": "otters", "url": "https://a.example/", "format": "json"}
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["9", "nan", "inf", "TRUE", "ja-JP", "2026-01-31", "qdr:d", "a,b", 10**400]),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)


def refusal(endpoint: Endpoint, asked: Asked) -> str | None:
    """Why a request is refused; None when it is taken."""
    try:
        endpoint.read(asked)
    except InvalidQuery as error:
        return error.message
    return None


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(ENDPOINTS), st.data())
def test_whatever_a_field_holds_is_taken_or_refused_in_a_sentence(endpoint: Endpoint, data: Any):
    """For every wire and every field that it publishes; a long value is not repeated."""
    names = st.sampled_from(sorted(endpoint.parameters) or ["query"])
    body = {n: v for n, v in NEEDED.items() if n in endpoint.parameters}
    body |= data.draw(st.dictionaries(names, VALUES, max_size=2))
    params = {n: str(v) for n, v in body.items()}
    path = {"url": "https://a.example/", "q": "otters"} if "{" in endpoint.path else {}

    for asked in (Asked(body, path=path), Asked(params=params, path=path)):
        said = refusal(endpoint, asked)
        assert said is None or 0 < len(said) < 300


def read(**body: Any) -> Search:
    return tavily.read_search(Asked({"query": "otters", **body}))


@pytest.mark.parametrize(
    ("name", "values", "taken"),
    [
        ("max_results", (None, "", 5, "5", 5.0), 5),
        ("include_images", (True, "TRUE", "true", 1, "1"), True),
        ("include_images", (None, "", False, "false", 0, "0"), False),
        ("topic", (None, "", "general"), "general"),
        ("include_domains", (None, [], ""), ()),
        ("include_domains", ("a.example, ,b.example,", ["a.example", "b.example"]),
         ("a.example", "b.example")),
    ],
)  # fmt: skip
def test_a_field_is_read(name, values, taken):
    """`null` is not set; numbers, switches and lists may be text."""
    where = {"max_results": "most", "include_images": "images"}
    for value in values:
        call = read(**{name: value})
        found = getattr(call, where[name]) if name in where else getattr(call.query, name)
        assert (found, type(found)) == (taken, type(taken))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"max_results": 21}, "max_results is 21; it must be a whole number from 0 to 20"),
        ({"max_results": True}, "max_results is True; it must be a whole number from 0 to 20"),
        ({"max_results": 10**400},
         "max_results is a number out of bounds; it must be a whole number from 0 to 20"),
        ({"include_images": "yes"}, "include_images is 'yes'; it must be true or false"),
        ({"topic": "y" * 61}, f"topic is '{'y' * 60}…'; it must be one of general, news, finance"),
        ({"include_domains": ["a", 5]}, "include_domains is a list; it must be a list of texts"),
    ],
)  # fmt: skip
def test_a_field_is_refused_in_a_sentence(body, why):
    """It names the field, the value as far as it is short, and what is taken."""
    with pytest.raises(InvalidQuery) as refused:
        read(**body)

    assert str(refused.value) == why
