"""What the terminal shows of a call."""

from __future__ import annotations

import pytest

from kensaku.compat.terminal import (
    format_web_search_command_message,
)


def item(raw=None, **members):
    return {"rawItem": raw or {}, **members}


@pytest.mark.parametrize(
    ("shown", "known"),
    [
        (item({"arguments": '{"query": "raw"}', "call_id": "1"}, arguments='{"query": "x"}'), {}),
        (item(arguments={"query": "raw"}), {"1": {"query": "x"}}),
        (item({"call_id": "1"}), {"1": '{"query": "raw"}'}),
        (item({"arguments": "{cut off", "callId": "1"}), {"1": {"query": "raw"}}),
    ],
    ids=["raw item", "item", "by id", "by id, when the item's are broken"],
)
def test_the_query_of_a_call_is_found(shown, known):
    """(S4-34, S4-35, S4-53)"""
    (message,) = format_web_search_command_message(shown, 0, known)

    assert message.command == 'web_search: "raw"'
    assert message.tool_args == {"query": "raw"}
    assert message.id == ("1-0" if "1" in str(shown) else "call-0")


def test_a_call_without_a_query_is_shown_all_the_same():
    """(S4-35)"""
    for odd in ({}, item(), None, item({"arguments": "[1]"})):
        (message,) = format_web_search_command_message(odd, 0, {})
        assert message.command == 'web_search: "unknown query"'


@pytest.mark.parametrize(
    ("output", "shown", "success"),
    [
        ("## Search Results", "## Search Results", True),
        ("", "No results", True),
        (None, "No results", True),
        ("Error: no", "Error: no", False),
        ({"type": "text", "text": "Error: no"}, "Error: no", False),
        ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "a\nb", True),
    ],
)
def test_a_message_has_command_output_and_success(output, shown, success):
    """(S4-33, S4-36, S4-37)"""
    messages = format_web_search_command_message(item(output=output), 3, {})

    assert len(messages) == 1
    assert (messages[0].output, messages[0].success) == (shown, success)
    assert messages[0].tool_name == "web_search"
