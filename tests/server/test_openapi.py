"""The OpenAPI document is valid, names every endpoint, and what it promises holds."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import httpx
from jsonschema import Draft202012Validator

from kensaku.server.openapi import document
from kensaku.server.wires import load_wires

EXAMPLES = 4  # of each operation


def test_every_endpoint_is_in_it():
    """By its prefix; paths at the root are the same ones."""
    paths = document()["paths"]

    for wire in load_wires():
        for endpoint in wire.endpoints():
            path = f"/{wire.name}{endpoint.path}".replace(":path", "")
            assert endpoint.method.lower() in paths[path], path


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


async def test_a_person_reads_it_without_scripts(server):
    """At /docs, with a policy that lets nothing else in."""
    async with httpx.AsyncClient(timeout=60) as http:
        page = await http.get(f"{server.url}/docs")
        raw = await http.get(f"{server.url}/openapi.json")

    assert "POST /tavily/search" in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert raw.json()["openapi"] == "3.1.0"


async def test_schemathesis_finds_no_server_error(server, tmp_path):
    """A few examples of every operation. Its command runs beside us: in the same process it takes
    the dice of the server for its own."""
    command = Path(sys.executable).parent / "schemathesis"
    process = await asyncio.create_subprocess_exec(
        str(command), "run", f"{server.url}/openapi.json", "--checks", "not_a_server_error",
        "--phases", "fuzzing", "--exclude-path", "/readyz", "--max-examples", str(EXAMPLES), "--workers", "2",
        "--generation-deterministic", "--no-color",
        cwd=tmp_path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await asyncio.wait_for(process.communicate(), 300)

    assert process.returncode == 0, said.decode()[-5_000:]
    assert len(document()["paths"]) > 20
