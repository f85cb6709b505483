"""docs/operations/monitoring.md: the alerts are about metrics that a server has, and can fire."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from kensaku import Outcome
from kensaku.testing import faults
from tests import ROOT
from tests.blocks import blocks

yaml = pytest.importorskip("yaml")
PAGE = ROOT / "docs" / "operations" / "monitoring.md"
OURS = re.compile(r"\b((?:kensaku|process)_\w+)(?:\{([^}]*)\})?")
MATCHER = re.compile(r'(\w+)\s*(=~|!=|!~|=)\s*"([^"]*)"')
SCRAPED = {"job", "instance"}  # Prometheus adds them
# What the test does not provoke in the server: an error of ours, and results that have expired.
RARE = {("status", "500"), ("cached", "stale")}


def rules() -> list[dict[str, Any]]:
    """The alerts of the page."""
    (group,) = [b for b in map(yaml.safe_load, yaml_blocks()) if "groups" in b]
    found: list[dict[str, Any]] = group["groups"][0]["rules"]
    return found


def yaml_blocks() -> list[str]:
    return [block.text for block in blocks(PAGE, "yaml")]


@pytest.fixture
async def scraped(make_server, make_key, upstream) -> list[Any]:
    """What Prometheus gets from a server that has found, failed, and been refused."""
    server = await make_server("tavily")
    head = {"Authorization": f"Bearer {await make_key(server, 'prometheus', admin=True)}"}
    async with httpx.AsyncClient(base_url=server.url, headers=head, timeout=60) as http:
        await http.post("/search", json={"query": "otter"})
        upstream.fails("tavily", faults.status(401))
        refused = await http.post("/search", json={"query": "refused"})
        assert refused.status_code != 200
        text = (await http.get("/metrics")).text
    return [s for family in text_string_to_metric_families(text) for s in family.samples]


async def test_every_series_that_an_alert_looks_at_is_there(scraped):
    """An alert about a metric that nobody writes never fires."""
    for rule in rules():
        for name, matchers in OURS.findall(rule["expr"]):
            series = [sample.labels for sample in scraped if sample.name == name]
            assert series, f"{rule['alert']}: there is no {name}"
            for label, how, value in MATCHER.findall(matchers):
                if label in SCRAPED or (label, value) in RARE:
                    continue
                assert all(label in labels for labels in series), (rule["alert"], name, label)
                if how in ("=", "=~"):
                    there = [s for s in series if re.fullmatch(value, s[label])]
                    assert there, f"{rule['alert']}: no {name} has {label}{how}{value}"


def test_the_outcomes_that_alerts_name_exist():
    """They are compared with the words of the API."""
    named = {v for r in rules() for n, _, v in MATCHER.findall(r["expr"]) if n == "outcome"}

    assert named - {"skipped"} <= {str(outcome) for outcome in Outcome}


# What Prometheus has seen, minute by minute → the alerts that fire after half an hour.
SERIES = {
    'up{job="kensaku", instance="a"}': "0x40",
    'kensaku_searches_total{outcome="unavailable", cached="no"}': "0+10x40",
    'kensaku_searches_total{outcome="found", cached="stale"}': "0+10x40",
    'kensaku_attempts_total{provider="tavily", outcome="unavailable", error="KeyRefused"}': (
        "0+10x40"
    ),
    'kensaku_http_requests_total{endpoint="tavily/search", status="500"}': "0+1x40",
    'kensaku_http_requests_in_flight{instance="a"}': "250x40",
    'kensaku_http_request_seconds_bucket{endpoint="tavily/search", le="10.0"}': "0+1x40",
    'kensaku_http_request_seconds_bucket{endpoint="tavily/search", le="30.0"}': "0+9x40",
    'kensaku_http_request_seconds_bucket{endpoint="tavily/search", le="+Inf"}': "0+9x40",
    'kensaku_cost_dollars_total{provider="tavily"}': "0+1x40",
    'process_open_fds{job="kensaku", instance="a"}': "900x40",
    'process_max_fds{job="kensaku", instance="a"}': "1000x40",
    'process_resident_memory_bytes{job="kensaku", instance="a"}': "3000000000x40",
}
CALM = {
    'up{job="kensaku", instance="a"}': "1x40",
    'kensaku_searches_total{outcome="found", cached="no"}': "0+10x40",
    'kensaku_attempts_total{provider="tavily", outcome="found", error=""}': "0+10x40",
    'kensaku_http_requests_total{endpoint="tavily/search", status="200"}': "0+10x40",
}


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("series", [SERIES, CALM], ids=["trouble", "calm"])
def test_the_alerts_fire_when_they_should(tmp_path, series):
    """By Prometheus' own program: all of them in trouble, none on a calm day."""
    if not (promtool := shutil.which("promtool")):
        pytest.skip("promtool is not installed; it comes with Prometheus")
    (text,) = [text for text in yaml_blocks() if "groups:" in text]
    (tmp_path / "rules.yaml").write_text(text)
    (tmp_path / "scrape.yaml").write_text(yaml_blocks()[0])
    fires = {rule["alert"]: series is SERIES for rule in rules()}
    promql = 'count by (alertname) (ALERTS{alertstate="firing"})'
    expected = [
        {"labels": f'{{alertname="{name}"}}', "value": 1} for name, does in fires.items() if does
    ]
    case = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [{"expr": promql, "eval_time": "35m", "exp_samples": expected}],
    }
    tests = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": [case]}
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump(tests))
    config = [promtool, "check", "config", "--syntax-only", "scrape.yaml"]

    for words in (config, [promtool, "test", "rules", "tests.yaml"]):
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
