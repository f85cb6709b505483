"""The settings file of a GRACE agent, in our words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from kensaku.compat.grace.file import GraceConfig, LlmOptions, read_grace
from kensaku.config.file import SettingsFile
from kensaku.errors import ConfigError


def grace(section: str, key: str, value: float | str) -> GraceConfig:
    """What is read of a GRACE file with this one value, and a model."""
    values = {"llm": {"model": "gemini-flash"}}
    values.setdefault(section, {})[key] = value
    return read_grace(SettingsFile(values, None, "", {}), {})


@pytest.mark.parametrize(
    ("key", "low", "high"),
    [
        ("qdrant.search_limit", 1, 50),
        ("qdrant.score_threshold", 0, 1),
        ("llm.temperature", 0, 2),
        ("llm.max_tokens", 1, 10**6),
        ("llm.timeout", 0.1, 600),
    ],
)
def test_a_grace_file_has_the_same_kind_of_bounds(key: str, low: float, high: float) -> None:
    """What an agent's file says is checked before it reaches a model or a collection."""
    section, name = key.split(".")

    assert str(high) in repr(grace(section, name, high)).replace(".0", "")
    grace(section, name, low)
    for beyond in (low - 1e-9 if low != 1 else 0, high + 1e-9 if high < 10 else high + 1):
        with pytest.raises(ConfigError):
            grace(section, name, beyond)


@pytest.mark.parametrize(
    ("values", "env", "made"),
    [
        ({}, {}, GraceConfig({}, {}, None)),
        ({"llm": {"model": "m"}}, {}, GraceConfig({}, {}, LlmOptions("m"))),
        ({"embedding": {"model": "e"}}, {}, GraceConfig({"index_model": "gemini:e"}, {}, None)),
        (
            {"embedding": {"model": "e"}},
            {"GEMINI_API_KEY": " ", "GOOGLE_API_KEY": "g-2"},
            GraceConfig({"index_model": "gemini:e", "index_model_api_key": "g-2"}, {}, None),
        ),
        (
            {"embedding": {"model": "e"}},
            {"GEMINI_API_KEY": "g-1", "GOOGLE_API_KEY": "g-2"},
            GraceConfig({"index_model": "gemini:e", "index_model_api_key": "g-1"}, {}, None),
        ),
        (
            {"embedding": {"model": "e", "provider": "openai"}},
            {"OPENAI_API_KEY": " sk-1 "},
            GraceConfig({"index_model": "openai:e", "index_model_api_key": "sk-1"}, {}, None),
        ),
        (  # the priority first, then the collection, each once
            {"qdrant": {"search_priority": ["faq", "wiki"], "collection_name": "wiki"}},
            {},
            GraceConfig({}, {"collections": ("faq", "wiki")}, None),
        ),
        (
            {"qdrant": {"collection_name": "c"}},
            {"GRACE_QDRANT_COLLECTION_NAME": "d"},
            GraceConfig({}, {"collections": ("d",)}, None),
        ),
        (
            {"qdrant": {"collection_name": "c"}},
            {"GRACE_QDRANT_COLLECTION_NAME": "  "},
            GraceConfig({}, {"collections": ("c",)}, None),
        ),
    ],
)
def test_what_is_left_out_is_left_to_us(values: Any, env: dict[str, str], made: Any) -> None:
    """The environment counts over the file, unless it is blank."""
    assert read_grace(SettingsFile(values, Path("g.yml"), "", env), env) == made


def test_what_a_program_gives_is_not_overridden() -> None:
    """The agent's loader has applied the environment; what it made in code stays as it is."""
    env = {"GRACE_QDRANT_SEARCH_LIMIT": "3"}

    made = read_grace(SettingsFile({"qdrant": {"search_limit": 7}}, None, "", env), env)

    assert made.rag_search == {"limit": 7}


@pytest.mark.parametrize(
    ("values", "env", "told"),
    [
        ({"llm": {"provider": "other"}}, {}, "g.yml: llm.provider is 'other'; expected one of"),
        ({"embedding": {"model": "e", "provider": "x"}}, {}, "expected one of gemini, openai"),
        ({}, {"GRACE_LLM_MODEL": "m", "GRACE_LLM_TIMEOUT": "0"}, "environment GRACE_LLM_TIMEOUT: "),
    ],
)
def test_a_wrong_value_says_where_it_stands(values: Any, env: dict[str, str], told: str) -> None:
    """File or variable."""
    with pytest.raises(ConfigError, match=re.escape(told)):
        read_grace(SettingsFile(values, Path("g.yml"), "", env), env)
