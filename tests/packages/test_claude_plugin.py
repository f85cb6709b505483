"""The plugin for Claude Code: its manifests, its server, and its skill.

`make test-installed args=claude-plugin` lets Claude Code validate and install it.
"""

from __future__ import annotations

import json
import re

import pytest

from kensaku.cli._main import COMMANDS, make_parser
from kensaku.models import Outcome
from kensaku.tools.registry import TOOLS
from tests import ROOT
from tests.packages.commands import plugin_command

yaml = pytest.importorskip("yaml")
PLUGIN = ROOT / "packages/claude-plugin"
SKILL = (PLUGIN / "skills/web-search/SKILL.md").read_text(encoding="utf-8")


def _offered() -> set[str]:
    words = plugin_command()
    return set(words[words.index("--tools") + 1].split(","))


def test_the_marketplace_lists_the_plugin():
    """`/plugin marketplace add kensaku-search/kensaku` reads the file at the root of the clone."""
    text = (ROOT / ".claude-plugin/marketplace.json").read_text(encoding="utf-8")
    (listed,) = json.loads(text)["plugins"]
    manifest = json.loads((PLUGIN / ".claude-plugin/plugin.json").read_text(encoding="utf-8"))

    assert (ROOT / listed["source"]).resolve() == PLUGIN
    assert {k: listed[k] for k in ("name", "description", "version", "license")} == {
        k: manifest[k] for k in ("name", "description", "version", "license")
    }


def test_the_server_offers_tools_that_exist():
    """A name with a typing error would keep the server from starting."""
    words = plugin_command()
    options = words[words.index("mcp") + 1 :]

    assert _offered() <= set(TOOLS)
    assert {o for o in options if o.startswith("--")} <= set(
        make_parser("mcp")._option_string_actions
    )


def test_the_skill_can_be_found_by_what_it_is_for():
    """Claude Code shows the model the name and the description, and loads the rest on use."""
    head = yaml.safe_load(SKILL.split("---")[1])

    assert head["name"] == "web-search"
    assert 50 < len(head["description"]) <= 1_024
    assert len(SKILL.splitlines()) < 100


def test_the_skill_names_the_tools_that_the_server_offers():
    """And each of them: one that is not explained is not used."""
    named = set(re.findall(r"`(\w+)`", SKILL)) & set(TOOLS)

    assert named == _offered()


def test_the_skill_tells_the_three_outcomes_apart():
    """An agent that is told "no results" answers from memory."""
    for outcome in Outcome:
        assert f"| `{outcome.value}` |" in SKILL


def test_the_commands_of_the_skill_exist():
    """What Claude tells a person to type has to work."""
    commands = re.findall(r"`kensaku (\w+)", SKILL)

    assert commands
    assert set(commands) <= set(COMMANDS)
