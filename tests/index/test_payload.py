"""Other applications' payloads: text, title, address and date, whatever they call them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kensaku.index.payload import PayloadFields, PayloadText, read_payload


@pytest.mark.parametrize(
    ("payload", "read"),
    [
        ({"text": " a ", "title": "t", "url": "u", "date": "d"}, ("a", "t", "u", "d")),
        ({"question": "q", "answer": "a", "source": "faq.csv"}, ("a", "q", "faq.csv", "")),
        ({"page_content": "a", "metadata": {"title": "t", "source": "s"}}, ("a", "t", "s", "")),
        ({"content": "a", "meta": {"name": "t", "meta": {"url": "u"}}}, ("a", "t", "u", "")),
        ({"payload": {"body": "a", "published_at": "d"}}, ("a", "", "", "d")),
        ({"_node_content": json.dumps({"text": "a", "metadata": {"file_name": "f"}})}, ("a", "", "f", "")),
        ({"_node_content": "{", "x": "longest", "y": "short"}, ("longest", "", "", "")),
        ({"_node_content": "[1]", "_x": "hidden text", "y": "a"}, ("a", "", "", "")),
        ({"content": "", "text": "a"}, ("a", "", "", "")),
        ({"text": 7, "title": ["t"]}, ("", "", "", "")),
        ({"metadata": "no object", "chunk": "a"}, ("a", "", "", "")),
        ({}, ("", "", "", "")),
    ],
)  # fmt: skip
def test_fields_are_guessed(payload: dict[str, Any], read: tuple[str, ...]) -> None:
    """By the names that are common, the outer object first."""
    assert read_payload(payload) == PayloadText(*read)


def test_the_fields_of_the_settings_come_first() -> None:
    """A dot reaches into an object, unless a field has that name."""
    payload = {"text": "a", "my": {"text": "b", "title": "t", "url": "u"}, "my.url": "v"}
    fields = PayloadFields(("my.text",), ("my.none", "my.title"), ("my.url",))

    assert read_payload(payload, fields) == PayloadText("b", "t", "v", "")
    assert read_payload(payload, PayloadFields(("gone.text",))).text == "a"
    assert read_payload(payload, PayloadFields(("text.more",))).text == "a"


def test_an_outer_object_comes_before_those_in_it() -> None:
    """Of one name; `payload`, `metadata` and `meta` in this order, and what they hold."""
    nested = {"metadata": {"meta": {"title": "mm"}}, "meta": {"title": "m"}}
    node = json.dumps({"meta": {"title": "n"}, "other": {"title": "o"}})

    assert read_payload({**nested, "payload": {"title": "p"}, "title": "outer"}).title == "outer"
    assert read_payload({**nested, "payload": {"title": "p"}}).title == "p"
    assert read_payload(nested).title == "mm"
    assert read_payload({"_node_content": node}).title == "n"
    assert read_payload({"_node_content": node, "meta": {"title": "m"}}).title == "m"
