"""`WebSearchConfig`, its file, and the factory (TestWebSearchConfig, TestWebSearchToolsFactory)."""

from __future__ import annotations

import logging
import os
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from kensaku.errors import ConfigError

pytest.importorskip("strands")

import kensaku.compat.slack_bot as surface
from kensaku.compat.slack_bot import (
    WEB_SEARCH_CONFIG_KEY,
    WEB_SEARCH_TOOLS,
    WebSearchConfig,
    WebSearchToolsFactory,
    get_web_search_config,
    load_web_search_config,
    web_search,
)

from .doubles import EXAMPLE, KEY, config, context, written


def test_the_configuration_is_a_dataclass_of_five_values():
    """(S0-01, S0-40)"""
    assert is_dataclass(WebSearchConfig)
    assert [f.name for f in fields(WebSearchConfig)] == [
        "enabled", "api_key", "search_depth", "max_results", "max_content_length",
    ]  # fmt: skip


def test_it_has_the_defaults_of_the_document():
    """(S0-05, S0-06, S0-07, S0-08, S0-40)"""
    usual = WebSearchConfig()

    assert usual.search_depth == "basic"
    assert usual.max_results == 5
    assert usual.max_content_length == 500
    assert usual.enabled is False


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("search_depth", "deep"),
        ("max_results", 0),
        ("max_results", "five"),
        ("max_results", True),
        ("max_content_length", -1),
        ("enabled", "yes"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_its_name(name, value):
    """(S0-05, S0-06, S0-07)"""
    with pytest.raises(ConfigError, match=rf"^tools\.web_search\.{name} is "):
        config(**{name: value})


def test_the_key_is_not_shown():
    """(S0-01)"""
    assert KEY not in repr(config())


def test_the_example_is_read_as_the_document_writes_it(monkeypatch):
    """(S0-02, S0-03, S0-04, S0-11, S0-12)"""
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    text = (EXAMPLE / "config.yaml.example").read_text(encoding="utf-8")

    for comment in (
        "# basic or advanced",
        "# 検索結果の最大件数",
        "# 各結果のcontent最大文字数（0で無制限）",
    ):
        assert comment in text
    copy = written(Path(os.environ["HOME"]), text)
    assert load_web_search_config(copy) == WebSearchConfig(True, KEY, "basic", 5, 500)


def test_every_value_of_the_section_is_read(tmp_path):
    """(S0-02, S0-04, S0-05, S0-06, S0-07, S0-12)"""
    path = written(
        tmp_path,
        "tools:\n  web_search:\n    enabled: true\n    api_key: ${MY_KEY}\n"
        "    search_depth: advanced\n    max_results: 3\n    max_content_length: 0\n",
    )

    found = load_web_search_config(path, {"MY_KEY": "from-environment"})

    assert found == WebSearchConfig(True, "from-environment", "advanced", 3, 0)


@pytest.mark.parametrize("text", ["", "tools: {}\n", "other: 1\n", "tools:\n  web_search:\n"])
def test_without_the_section_the_tool_is_off(tmp_path, text, caplog):
    """It has to be enabled in so many words; being off is no reason to warn (S0-08)."""
    found = load_web_search_config(written(tmp_path, text), {})

    assert found.enabled is False
    assert WebSearchToolsFactory(found).tools == []
    assert not caplog.records


def test_what_is_disabled_is_not_registered_and_not_read(tmp_path, caplog):
    """Its variables need not be set (S0-10)."""
    path = written(
        tmp_path,
        "tools:\n  web_search:\n    enabled: false\n    api_key: ${TAVILY_API_KEY}\n"
        "    search_depth: ${DEPTH_OF_SEARCH}\n",
    )

    found = load_web_search_config(path, {})

    assert WebSearchToolsFactory(found).tools == []
    assert not caplog.records


def test_without_a_key_there_is_a_warning_and_no_tool(tmp_path, caplog):
    """The program starts all the same (S0-09)."""
    path = written(
        tmp_path, "tools:\n  web_search:\n    enabled: true\n    api_key: ${TAVILY_API_KEY}\n"
    )

    factory = WebSearchToolsFactory(load_web_search_config(path, {}))

    assert factory.tools == []
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "API key" in record.message


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("max_results: 0", "line 4: tools.web_search.max_results is 0"),
        ("max_result: 3", "did you mean"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, told):
    """(S0-12)"""
    path = written(
        tmp_path, f"tools:\n  web_search:\n    enabled: true\n    {line}\n    api_key: k\n"
    )

    with pytest.raises(ConfigError) as error:
        load_web_search_config(path, {})

    assert told in str(error.value)
    assert "line 4" in str(error.value)


def test_the_run_gets_its_configuration_by_the_factory():
    """(S0-13, S0-16, S0-17, S0-39)"""
    wanted = config()

    assert WEB_SEARCH_CONFIG_KEY == "web_search_config"
    assert WebSearchToolsFactory(wanted).get_invocation_state() == {"web_search_config": wanted}


def test_the_tools_are_the_list_of_one():
    """(S0-18, S0-39)"""
    assert WebSearchToolsFactory(config()).tools == WEB_SEARCH_TOOLS == [web_search]


def test_the_configuration_is_read_from_the_invocation_state():
    """(S0-14)"""
    wanted = config()

    assert get_web_search_config(context({WEB_SEARCH_CONFIG_KEY: wanted})) is wanted


def test_a_run_without_configuration_is_a_runtime_error():
    """(S0-15)"""
    with pytest.raises(RuntimeError, match=r"^WebSearchConfig not found in invocation_state$"):
        get_web_search_config(context({}))


def test_the_package_exports_the_names_of_the_document():
    """(S0-19)"""
    names = {
        "WEB_SEARCH_CONFIG_KEY", "WEB_SEARCH_TOOLS", "WebSearchConfig", "WebSearchToolsFactory",
        "get_web_search_config", "load_web_search_config", "web_search",
    }  # fmt: skip
    assert names <= set(surface.__all__)
    assert all(hasattr(surface, name) for name in surface.__all__)
