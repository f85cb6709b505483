"""One version: what other programs install is what this clone is."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from kensaku import __version__
from tests import ROOT

VERSIONED = [
    "server.json",
    ".claude-plugin/marketplace.json",
    "packages/claude-plugin/.claude-plugin/plugin.json",
    "packages/claude-plugin/.mcp.json",
    "packages/mcpb/manifest.json",
    "packages/mcpb/pyproject.toml",
]


def _read(name: str) -> object:
    text = (ROOT / name).read_text(encoding="utf-8")
    return tomllib.loads(text) if name.endswith(".toml") else json.loads(text)


def _versions(value: object) -> set[str]:
    """Every value of a key `version`, and every version that a requirement of ours is pinned to."""
    if isinstance(value, dict):
        own = {v for k, v in value.items() if k == "version" and isinstance(v, str)}
        return own.union(*map(_versions, value.values()))
    if isinstance(value, list):
        return set().union(*map(_versions, value))
    return set(re.findall(r"^kensaku-search\S*==(.+)", value)) if isinstance(value, str) else set()


@pytest.mark.parametrize("name", VERSIONED)
def test_every_version_is_that_of_the_package(name):
    """A release that forgets one of them installs the last one."""
    assert _versions(_read(name)) == {__version__}


def test_no_file_with_a_version_is_forgotten():
    """A new kind of package joins the list above."""
    files = [*ROOT.glob("*.json"), *ROOT.glob(".claude-plugin/*"), *ROOT.glob("packages/**/*.*")]
    named = [
        str(f.relative_to(ROOT)) for f in files if f.suffix in (".json", ".toml") and f.is_file()
    ]

    assert sorted(n for n in named if _versions(_read(n))) == sorted(VERSIONED)


def test_every_requirement_asks_for_extras_that_exist():
    """pip only warns about an extra that is not there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = [Path(ROOT / name).read_text(encoding="utf-8") for name in VERSIONED]
    asked = {
        e
        for text in texts
        for m in re.findall(r"kensaku-search\[([^]]+)", text)
        for e in m.split(",")
    }

    assert asked
    assert asked <= set(project["optional-dependencies"])
