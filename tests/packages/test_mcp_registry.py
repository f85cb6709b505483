"""`server.json`: what the MCP registry is told, and how it knows that the package is ours."""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields

import jsonschema

from kensaku.config.settings import Settings, variable_of
from kensaku.providers import provider_class, provider_names
from tests import ROOT
from tests.packages.commands import registry_command

SCHEMA = ROOT / "tests/packages/schemas/mcp-registry/server.schema.json"
SERVER = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))


def test_the_file_is_valid_by_the_schema_that_it_names():
    """The registry refuses anything else; the schema is a copy, so no test asks the network."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))

    assert SERVER["$schema"] == schema["$id"]
    jsonschema.validate(SERVER, schema, format_checker=jsonschema.FormatChecker())


def test_the_readme_names_the_server():
    """The registry looks for this line in the description of the package on PyPI."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert f"mcp-name: {SERVER['name']}" in readme


def test_the_package_is_ours():
    """A typing error would send people to another author's package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (package,) = SERVER["packages"]

    assert package["identifier"] == project["name"]
    assert SERVER["repository"]["url"] == project["urls"]["Source"]


def test_the_command_is_one_that_uvx_takes():
    """The identifier is also the command; the extras come by `--with`."""
    version = SERVER["version"]

    assert registry_command(SERVER) == [
        "uvx",
        f"--with=kensaku-search[ddgs,mcp]=={version}",
        f"kensaku-search@{version}",
        "mcp",
    ]


def test_the_variables_are_ones_that_we_read():
    """A client asks the user for each of them."""
    known = {variable_of(f.name) for f in fields(Settings) if f.metadata}
    known |= {provider_class(name).key_variable for name in provider_names()}
    (package,) = SERVER["packages"]

    for variable in package["environmentVariables"]:
        assert variable["name"] in known
        assert variable.get("isSecret", False) == variable["name"].endswith("_API_KEY")
