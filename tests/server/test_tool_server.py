"""The tools for tool servers: the document that a program reads, and the calls that it makes of it."""

from __future__ import annotations

import re

import httpx
import pytest
from jsonschema import Draft202012Validator

from kensaku.testing import faults
from kensaku.tools.registry import DEFAULT, ToolRegistry


@pytest.fixture
async def http(server):
    async with httpx.AsyncClient(base_url=f"{server.url}/tools", timeout=60) as client:
        yield client


async def test_the_document_is_small_and_has_the_tools_own_words(server, make_key, http):
    """A model reads all of it with every question; a browser may, too, without a key."""
    await make_key(server)
    reply = await http.get("/openapi.json")
    paths, registry = reply.json()["paths"], ToolRegistry(enabled=list(DEFAULT))

    assert len(reply.content) < 6_000
    assert list(paths) == [f"/{name}" for name in DEFAULT]
    for path in paths.values():
        operation = path["post"]
        tool = registry.get(operation["operationId"])
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        Draft202012Validator.check_schema(schema)
        assert (operation["description"], schema) == (tool.description, tool.parameters)


async def test_a_call_returns_what_the_model_reads(http, found):
    """In the fence, as every text of others."""
    for name, sent in (
        ("web_search", {"query": "otters"}),
        ("web_context", {"query": "otters"}),
    ):
        text = (await http.post(f"/{name}", json=sent)).json()
        fenced = re.search(r"<<<web (\w{32})\n(.*)\nweb \1>>>", text, re.DOTALL)
        assert fenced
        assert "hold hands" in fenced[2]
        assert "hold hands" not in text.replace(fenced[0], "")


async def test_a_failure_is_no_result(http, upstream):
    """A wrong argument is the model's to mend; nobody could search is not nothing found."""
    wrong = await http.post("/web_search", json={"max_results": 3})
    assert (wrong.status_code, "query" in wrong.json()["detail"]) == (400, True)

    upstream.fails("tavily", faults.status(500))
    failed = await http.post("/web_search", json={"query": "otters"})
    assert (failed.status_code, bool(failed.json()["detail"])) == (503, True)
