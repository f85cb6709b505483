"""Which tools are enabled, how they are made, and which options they get."""

from __future__ import annotations

import pytest

from kensaku import tools
from kensaku.errors import ConfigError, UnknownName
from kensaku.tools import RAGSearchTool, ReasoningTool, ToolRegistry
from kensaku.tools.param import in_language
from kensaku.tools.registry import TOOLS, ToolOptions, make_tool, make_tools, options_of


@pytest.mark.parametrize(
    "text",
    [
        "enabled_tools: [ask_user, rag_search]\n",
        "tools:\n  enabled:\n    - ask_user\n    - rag_search\n",
    ],
    ids=["enabled_tools", "tools.enabled"],
)
def test_the_registry_reads_the_enabled_tools_of_a_file(tmp_path, text):
    """Both spellings, in the registry's own order (S3-27, S3-28, S3-29)."""
    file = tmp_path / "grace_config.yml"
    file.write_text(text)

    registry = ToolRegistry(str(file))

    assert [tool.name for tool in registry] == ["rag_search", "ask_user"]
    assert isinstance(registry.get("rag_search"), RAGSearchTool)


def test_the_order_is_rag_search_reasoning_ask_user():
    """And what the document lacked comes behind them (S3-29, S3-32)."""
    enabled = ["web_search", "ask_user", "reasoning", "rag_search"]

    assert [t.name for t in ToolRegistry({"enabled_tools": enabled})] == enabled[::-1]


def test_what_is_not_enabled_is_never_built(monkeypatch):
    """(S3-28)"""

    class Expensive(ReasoningTool):
        def __init__(self, *args, **options):
            raise AssertionError("it was built")

    monkeypatch.setattr(tools, "ReasoningTool", Expensive, raising=False)

    assert len(ToolRegistry(enabled=["rag_search", "ask_user"])) == 2
    with pytest.raises(AssertionError):
        ToolRegistry(enabled=["reasoning"])


def test_get_gives_the_tool_or_none():
    """(S3-31)"""
    registry = ToolRegistry(enabled=["ask_user"])

    assert registry.get("ask_user") is registry.get("ask_user")
    assert registry.get("reasoning") is None
    assert registry.get("no such tool") is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("enabled_tools: [web_serach]\n", UnknownName),
        ("enabled_tools: web_search\n", ConfigError),
        ("enabled_tools: [1]\n", ConfigError),
    ],
)
def test_a_wrong_list_is_named(tmp_path, text, error):
    """(S3-27)"""
    file = tmp_path / "grace_config.yml"
    file.write_text(text)

    with pytest.raises(error):
        ToolRegistry(file)


def test_the_options_are_those_of_the_constructors():
    """An editor shows what a tool takes, and nothing else."""
    accepted = (options_of(getattr(tools, cls)) for cls in TOOLS.values())

    assert set(ToolOptions.__annotations__) == set().union(*accepted)
    assert ToolOptions.__required_keys__ == frozenset()


def test_each_tool_gets_the_options_that_it_takes():
    """One call makes several tools that do not take the same."""
    search, context = make_tools(["web_search", "web_context"], max_tokens=500, fence=False)

    assert (search.max_tokens, search.fence, context.fence) == (500, False, False)
    assert make_tool("web_extract").max_tokens == 8_000


@pytest.mark.parametrize(
    ("names", "option", "nearest"),
    [("web_search", "max_token", "max_tokens"), ("ask_user", "fenc", "fence")],
)
def test_an_option_that_no_tool_takes_is_named_with_the_nearest(names, option, nearest):
    """A typing mistake is not a TypeError from inside."""
    with pytest.raises(UnknownName, match=f"no option '{option}'.*{nearest}"):
        make_tools(names, **{option: 1})


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_has_a_title_and_words_in_both_languages(name):
    """A person sees the title; the model, the description."""
    english, japanese = make_tool(name), make_tool(name, language="ja")

    assert english.description
    assert english.description != japanese.description
    assert english.title
    assert in_language(english.title, "en") != in_language(english.title, "ja")
