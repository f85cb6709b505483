"""`kensaku.tools_for(framework, names, …)`: what people call."""

from __future__ import annotations

import inspect
from typing import get_args, get_overloads

import pytest

from kensaku import adapters, tools_for
from kensaku.errors import UnknownName


def test_the_type_of_a_framework_lists_every_adapter():
    """A name that an editor does not know, nobody finds."""
    assert get_args(adapters.Framework) == tuple(adapters.ADAPTERS)


def test_every_overload_takes_the_same():
    """They differ in the framework and in what they return, and in nothing else."""
    first, *others = (
        [p.replace(default=p.empty) for p in inspect.signature(o).parameters.values()][1:]
        for o in [adapters.tools_for, *get_overloads(adapters.tools_for)]
    )

    assert len(others) >= 8
    assert all(other == first for other in others)


def test_one_name_is_a_name_and_not_its_letters():
    """`tools_for("langchain", "web_search")` is what people write first."""
    (tool,) = tools_for("function", "web_search")

    assert tool.__name__ == "web_search"


def test_names_may_come_from_a_generator():
    """Whatever can be iterated."""
    tools = tools_for("function", (name for name in ("web_map", "ask_user")))

    assert [tool.__name__ for tool in tools] == ["web_map", "ask_user"]


@pytest.mark.parametrize(
    ("framework", "names", "options", "message"),
    [
        ("langchian", "web_search", {}, "no framework 'langchian'; did you mean 'langchain'"),
        ("function", "web_serach", {}, "no tool 'web_serach'; did you mean 'web_search'"),
        ("function", ["web_search"], {"max_token": 5}, "no option 'max_token'; did you mean"),
        ("function", "ask_user", {"max_tokens": 5}, "no option 'max_tokens'; choose from fence"),
    ],
)
def test_a_wrong_name_is_said_with_the_nearest(framework, names, options, message):
    """Before anything is made."""
    with pytest.raises(UnknownName, match=message):
        tools_for(framework, names, **options)
