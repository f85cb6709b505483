"""The OpenAPI document is valid, names every endpoint, and what it promises holds."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import httpx
import pytest
from jsonschema import Draft202012Validator

from kensaku import __version__
from kensaku.server.asgi import load_surfaces
from tests.golden import assert_kept
from tests.server.operations import KEPT, document, operations

EXAMPLES = 4  # of each operation


def test_every_endpoint_is_in_it():
    """By its prefix; paths at the root are the same ones. HTML, MCP and metrics are not for it."""
    paths = document()["paths"]

    for wire in load_surfaces():
        for endpoint in wire.endpoints():
            path = f"{wire.prefixes[0]}{endpoint.path}".replace(":path", "")
            assert (endpoint.method.lower() in paths.get(path, {})) is bool(endpoint.summary), path


def test_its_schemas_are_schemas():
    """A generator of clients reads them."""
    for methods in document()["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                Draft202012Validator.check_schema(parameter["schema"])
            for content in operation.get("requestBody", {}).get("content", {}).values():
                Draft202012Validator.check_schema(content["schema"])


def test_operation_ids_differ():
    """They become the names of methods."""
    ids = [
        operation["operationId"]
        for methods in document()["paths"].values()
        for operation in methods.values()
        if "operationId" in operation
    ]

    assert len(ids) == len(set(ids))


def test_every_operation_takes_what_it_took():
    """Clients are generated from it."""
    assert_kept(operations(), KEPT)


def test_a_key_may_be_sent_in_each_of_its_places_or_not_at_all():
    """A generator of clients offers them all; without keys none is needed."""
    whole = document()
    schemes = whole["components"]["securitySchemes"]

    assert (whole["openapi"], whole["info"]["version"]) == ("3.1.0", __version__)
    assert schemes == {
        "key": {"type": "http", "scheme": "bearer"},
        "basic": {"type": "http", "scheme": "basic"},
        "x-api-key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
        "x-subscription-token": {"type": "apiKey", "in": "header", "name": "x-subscription-token"},
        "authorization": {"type": "apiKey", "in": "header", "name": "authorization"},
        "api_key": {"type": "apiKey", "in": "query", "name": "api_key"},
    }
    assert whole["security"] == [*({name: []} for name in schemes), {}]


async def test_a_person_reads_it_without_scripts(server):
    """At /docs, in the style and the theme of the page, with a policy that lets nothing else in."""
    async with httpx.AsyncClient(timeout=60, cookies={"kensaku_theme": "dark"}) as http:
        page = await http.get(f"{server.url}/docs")
        style = await http.get(f"{server.url}/page/static/page.css")
        raw = await http.get(f"{server.url}/openapi.json")

    shown = " ".join(re.sub("<[^>]+>", " ", page.text).split())
    assert "POST /tavily/search" in shown
    assert "max_results integer, 0 to 20" in shown
    assert "topic general, news, finance" in shown
    assert '<html lang="en" data-theme="dark">' in page.text
    assert 'href="page/static/page.css"' in page.text
    assert style.status_code == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert raw.json()["openapi"] == "3.1.0"


@pytest.mark.usefixtures("processes")
async def test_schemathesis_finds_no_server_error(server, tmp_path):
    """A few examples of every operation. Its command runs beside us: in the same process it takes
    the dice of the server for its own."""
    command = Path(sys.executable).parent / "schemathesis"
    process = await asyncio.create_subprocess_exec(
        str(command), "run", f"{server.url}/openapi.json", "--checks", "not_a_server_error",
        "--phases", "fuzzing", "--exclude-path", "/readyz", "--exclude-path", "/api/keys", "--max-examples", str(EXAMPLES), "--workers", "2",
        "--generation-deterministic", "--no-color",
        cwd=tmp_path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await asyncio.wait_for(process.communicate(), 300)

    assert process.returncode == 0, said.decode()[-5_000:]
    assert len(document()["paths"]) > 20
