"""No command shows a secret: whatever an upstream repeats, in whatever encoding."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from kensaku.cli._main import COMMANDS
from kensaku.testing import FakeUpstream, faults
from tests.text.test_redact import encoded

from .conftest import Cli

SECRETS = {
    "TAVILY_API_KEY": "tvly-dev-CANARY0a1b2c3d4e5f",
    "BRAVE_API_KEY": "CANARY9f8e7d6c5b4a39281706f5e4d3c2b1a0",
    "EXA_API_KEY": "exa-CANARY+d/0123456789==",
    "KENSAKU_LLM_API_KEY": "sk-CANARY-llm-0123456789",
    "KENSAKU_INDEX_API_KEY": "CANARY-index-0123456789",
    "KENSAKU_MCP_TOKEN": "CANARY-mcp-0123456789abc",
    "SLACK_BOT_TOKEN": "xoxb-CANARY-slack-0123456789",
    "SLACK_APP_TOKEN": "xapp-CANARY-slack-0123456789",
    "SLACK_SIGNING_SECRET": "CANARY8f742231b10e8888abcd99",
    "TELEGRAM_BOT_TOKEN": "123456789:CANARY-telegram-abcdefghijklmnop",
    "TELEGRAM_WEBHOOK_SECRET": "CANARY-webhook-0123456789",
}
OWN = {n.removesuffix("_API_KEY").lower(): SECRETS[n] for n in list(SECRETS)[:3]}
PASSWORD = "hunter2-CANARY-word"
# Each command as often as it takes to see all it prints; one that is not here runs without words.
RUNS: dict[str, list[list[str]]] = {
    "search": [["otter"], ["otter", "--json"], ["otter", "--explain", "--route", "brave,exa"]],
    "context": [["otter"], ["otter", "--json"]],
    "answer": [["otter"], ["otter", "--json"]],
    "ask": [["otter"], ["otter", "--json"], ["otter", "--json", "--model", "small"]],
    "research": [["otter"], ["otter", "--json"]],
    "watch": [["otter"], ["otter", "--json"], ["--list"]],
    "compare": [["otter", "--route", "brave,exa"], ["otter", "--route", "brave,exa", "--json"]],
    "eval": [["nowhere.jsonl", "--route", "brave"]],
    "extract": [["{page}"], ["{page}", "--json"]],
    "crawl": [["{page}", "--json"]],
    "map": [["{page}"]],
    "verify": [["otters", "{page}"]],
    "index": [["list"], ["stats", "--json"]],
    "jobs": [["list"], ["list", "--json"], ["show", "nothing"]],
    "providers": [[], ["--json"]],
    "config": [[], ["--json"]],
    "cache": [["stats"], ["stats", "--json"]],
    "doctor": [[], ["--json"], ["--live"], ["--live", "--json"]],
    "completion": [["bash"]],
    "keys": [["list"], ["list", "--json"], ["revoke", "nowhere"]],
    "backup": [["no/such/place"]],
    "people": [
        ["list", "terminal"],
        ["export", "terminal", "ann"],
        ["delete", "terminal", "ann", "--yes"],
    ],
    "usage": [[], ["--by", "key", "--json"]],
    "slack": [["--log-level", "debug"], ["--http", "0", "--log-level", "debug"]],
    "telegram": [["--log-level", "debug"], ["--webhook", "0", "--log-level", "debug"]],
}
NOT_RUN = {"mcp", "chat", "serve", "init"}


@pytest.fixture
def echoing(up: FakeUpstream, env: dict[str, str]) -> FakeUpstream:
    """An upstream that refuses everything and repeats what it was sent in every encoding."""
    host = up.environment("wikipedia")["WIKIPEDIA_BASE_URL"].removeprefix("http://")
    env |= SECRETS
    env |= {
        "WIKIPEDIA_BASE_URL": f"http://user:{PASSWORD}@{host}",
        "KENSAKU_CACHE_URL": "memory:",
        "KENSAKU_STATE_URL": "memory:",
        "SLACK_API_BASE_URL": up.url + "/slack",
        "TELEGRAM_API_BASE_URL": up.url + "/telegram",
        "KENSAKU_INDEX_MODEL": f"openai:m@http://user:{PASSWORD}@127.0.0.1:9",
    }
    for name, secret in {**OWN, "wikipedia": PASSWORD}.items():
        said = "refused " + " ".join(encoded(secret).values())
        body = {"error": {"message": said}, "detail": {"error": said}, "request_id": said}
        up.fails(name, faults.status(401, body, {"X-Request-Id": secret}))
        up.serves(f"/{name}/usage", json.dumps(body), "application/json", 401)
    return up


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in NOT_RUN])
def test_no_command_prints_a_secret(command, echoing, cli: Cli, site: str, caplog, machine: Path):
    """Neither on its output, nor among its errors, in a log or a file of ours (G13)."""
    caplog.set_level(logging.DEBUG)
    shown = ""
    for words in RUNS.get(command, [[]]):
        done = cli(command, *(word.format(page=site) for word in words))
        shown += done.out + done.err
    shown += "\n".join(r.getMessage() for r in caplog.records)
    shown += "".join(f.read_bytes().decode("latin-1") for f in machine.rglob("*") if f.is_file())

    lower = shown.lower()
    for secret in (*SECRETS.values(), PASSWORD):
        for form, text in encoded(secret).items():
            parts = {text.lower().strip("…")[at : at + 12] for at in range(len(text) - 11)}
            found = [p for p in parts if p in lower]
            assert not found, (
                f"{form} of {secret}: {found[0]} in {lower[lower.find(found[0]) - 80 :][:200]}"
            )
    assert shown
