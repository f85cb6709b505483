"""The bundle for Claude Desktop. `make test-installed args=mcpb` packs and runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import fields

import jsonschema
import pytest

from kensaku.config.settings import Settings, variable_of
from kensaku.providers import provider_class, provider_names
from kensaku.tools.registry import DEFAULT, make_tools
from tests import ROOT

BUNDLE = ROOT / "packages/mcpb"
SCHEMA = ROOT / "tests/packages/schemas/mcpb/mcpb-manifest-v0.4.schema.json"
MANIFEST = json.loads((BUNDLE / "manifest.json").read_text(encoding="utf-8"))


def test_the_manifest_is_valid():
    """A program that reads bundles refuses to install any other."""
    jsonschema.validate(MANIFEST, json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_the_tools_are_described_in_the_words_of_the_tools():
    """A user sees in the list what the model is told."""
    offered = [{"name": t.name, "description": t.description} for t in make_tools(DEFAULT)]

    assert MANIFEST["tools"] == offered


def test_the_server_gets_variables_that_it_reads_from_fields_that_exist():
    """A field that no variable takes would be asked for in vain."""
    env = MANIFEST["server"]["mcp_config"]["env"]
    known = {variable_of(f.name) for f in fields(Settings) if f.metadata}
    known |= {provider_class(name).key_variable for name in provider_names()}
    taken = {re.fullmatch(r"\$\{user_config\.(\w+)\}", value)[1] for value in env.values()}

    assert set(env) <= known
    assert taken == set(MANIFEST["user_config"])


def test_the_entry_point_is_in_the_bundle_and_needs_no_key():
    """Each key is kept as a secret, and nobody has to have one."""
    for name, option in MANIFEST["user_config"].items():
        assert option["required"] is False
        assert option.get("sensitive", False) == name.endswith("_api_key")
    assert (BUNDLE / MANIFEST["server"]["entry_point"]).exists()


@pytest.mark.usefixtures("processes")
def test_a_field_that_was_left_empty_is_not_taken_for_a_key(tmp_path):
    """Some programs pass the name of the variable on; a provider would refuse it as a wrong key."""
    (tmp_path / "kensaku").mkdir()
    (tmp_path / "kensaku" / "__init__.py").touch()
    (tmp_path / "kensaku" / "cli.py").write_text(
        "import os\ndef main(words):\n    print(words, os.environ.get('TAVILY_API_KEY'))\n"
    )
    done = subprocess.run(
        [sys.executable, BUNDLE / "server.py"],
        env={
            **os.environ,
            "PYTHONPATH": str(tmp_path),
            "TAVILY_API_KEY": "${user_config.tavily_api_key}",
        },
        capture_output=True,
        text=True,
    )

    assert done.stdout == "['mcp'] None\n", done.stderr
