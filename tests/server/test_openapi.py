"""The OpenAPI document is valid, names every endpoint, and what it promises holds."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import httpx
import pytest
from jsonschema import Draft202012Validator

from kensaku import __version__
from kensaku.server import openapi
from kensaku.server.asgi import load_surfaces
from kensaku.server.openapi import Operation
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


REFUSALS = ["400", "401", "413", "421", "422", "429", "432", "503"]


def operation(path: str, method: str) -> dict:
    """An operation without the sentences of its responses, which stand as their statuses."""
    found = document()["paths"][path][method]
    responses = found["responses"]
    assert all(list(said) == ["description"] for said in responses.values())
    return {**found, "responses": list(responses)}


def test_what_is_above_the_paths():
    """A key is sent as a bearer token, a password, in a header or the query, or none where none is needed."""
    whole = document()
    del whole["paths"], whole["info"]["description"]

    assert whole == {
        "openapi": "3.1.0",
        "info": {"title": "Kensaku", "version": __version__},
        "components": {
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer"},
                "basic": {"type": "http", "scheme": "basic"},
                "x-api-key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
                "x-subscription-token": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "x-subscription-token",
                },
                "authorization": {"type": "apiKey", "in": "header", "name": "authorization"},
                "api_key": {"type": "apiKey", "in": "query", "name": "api_key"},
            }
        },
        "security": [
            *({name: []} for name in whole["components"]["securitySchemes"]),
            {},
        ],
    }


def test_the_fields_of_a_get_are_in_its_query_and_the_first_is_needed():
    """A generator makes arguments of them."""
    assert operation("/gpt-researcher", "get") == {
        "tags": ["gpt-researcher"],
        "summary": "Search",
        "operationId": "gpt_researcher_get",
        "responses": ["200", *REFUSALS],
        "parameters": [
            {
                "name": "query",
                "in": "query",
                "required": True,
                "schema": {"type": "string", "minLength": 1, "maxLength": 2000, "pattern": r"\S"},
            },
            {
                "name": "max_results",
                "in": "query",
                "required": False,
                "schema": {"type": "integer", "minimum": 1, "maximum": 20},
            },
        ],
    }


def test_what_a_path_captures_is_a_parameter_and_no_field():
    """Whatever it is made of: `{url:path}` is written `{url}`."""
    captured = {
        "name": "url",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "minLength": 1},
    }

    read = operation("/jina/r/{url}", "get")

    assert read["parameters"] == [captured]
    assert "requestBody" not in read
    assert read["operationId"] == "jina_r_url_path__get"


def test_the_fields_of_a_post_are_a_json_object():
    """With the one that it cannot do without."""
    posted = operation("/openwebui/search", "post")

    assert posted["parameters"] == []
    assert posted["requestBody"] == {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "query": {
                            "type": "string",
                            "minLength": 1,
                            "maxLength": 2000,
                            "pattern": r"\S",
                        },
                        "count": {"type": "integer", "minimum": 1, "maximum": 50},
                    },
                    "required": ["query"],
                }
            }
        },
    }


def test_a_document_is_sent_as_it_is():
    """Of any kind: the body is bytes."""
    assert operation("/openwebui/process", "put")["requestBody"] == {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }


def test_what_streams_or_takes_long_is_described_as_well():
    """Research, the assistant, the page's API and the probes: tags, summaries, bodies, statuses."""
    ids = {"type": "string", "minLength": 1, "maxLength": 200}
    objects = {"type": "array", "items": {"type": "object"}}
    agent = operation("/agent", "post")
    chat = operation("/v1/chat/completions", "post")
    report = operation("/tavily/research", "post")
    bodies = [
        called.pop("requestBody")["content"]["application/json"]["schema"]
        for called in (agent, chat, report)
    ]

    assert [b["required"] for b in bodies] == [
        ["threadId", "runId", "messages"],
        ["messages"],  # there is one model, whatever it is called
        ["input"],
    ]
    assert bodies[0]["properties"] == {
        "threadId": ids,
        "runId": ids,
        "messages": objects,
        "resume": objects,
    }
    assert {"messages", "stream"} <= bodies[1]["properties"].keys()
    assert {"input", "output_schema"} <= bodies[2]["properties"].keys()
    shown = operation("/tavily/research/{id}", "get")
    assert shown.pop("parameters") == [
        {
            "name": "id",
            "in": "path",
            "required": True,
            "schema": {"type": "string", "minLength": 1},
        }
    ]
    named = {
        ("Tavily", "Write a report"): (report, []),
        ("Tavily", "Look at a report"): (shown, ["202", "404"]),
        ("Tavily", "What was used"): (operation("/tavily/usage", "get"), []),
        ("Assistant", "Answer the last message of a conversation, with citations"): (chat, []),
        ("Assistant", "Run the assistant; its events in the AG-UI protocol"): (agent, ["409"]),
        ("Assistant", "List the models"): (operation("/v1/models", "get"), []),
        ("Page", "List all keys, without their secrets"): (operation("/api/keys", "get"), []),
        ("Server", "Is it alive?"): (operation("/healthz", "get"), []),
        ("Server", "Is it ready?"): (operation("/readyz", "get"), []),
    }
    for (tag, summary), (described, more) in named.items():
        assert described.pop("parameters", []) == []
        assert described.pop("operationId")
        assert described == {
            "tags": [tag],
            "summary": summary,
            "responses": ["200", *REFUSALS, *more],
        }


def test_the_page_lists_operations_under_their_tags_with_their_fields():
    """With the bounds of each field; what is no number has none."""
    fields = {
        "n": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 20}, {"type": "null"}]},
        "<b>": {"enum": ["a", 2]},
        "weight": {"type": "number", "minimum": 0.5},
        "most": {"type": "number", "maximum": 9},
        "x": {},
    }
    body = {"content": {"application/json": {"schema": {"properties": fields}}}}
    query = [{"name": "q", "schema": {"type": "string"}}]
    paths = {
        "/a&b": {"post": {"tags": ["One"], "summary": "A < B", "requestBody": body}},
        "/c": {"get": {"tags": ["Two"], "summary": "C", "parameters": query}},
        "/d": {"get": {"tags": ["One"], "summary": "D"}},
    }

    assert openapi.operations({"paths": paths}) == {
        "One": [
            Operation(
                "POST",
                "/a&b",
                "A < B",
                {
                    "n": "integer, 1 to 20 or null",
                    "<b>": "a, 2",
                    "weight": "number",
                    "most": "number",
                    "x": "any",
                },
            ),
            Operation("GET", "/d", "D", {}),
        ],
        "Two": [Operation("GET", "/c", "C", {"q": "string"})],
    }


async def test_a_person_reads_it_without_scripts(server):
    """At /docs, in the style and the theme of the page, with a policy that lets nothing else in."""
    async with httpx.AsyncClient(timeout=60, cookies={"kensaku_theme": "dark"}) as http:
        page = await http.get(f"{server.url}/docs")
        style = await http.get(f"{server.url}/page/static/page.css")
        raw = await http.get(f"{server.url}/openapi.json")

    assert "/tavily/search" in page.text
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
