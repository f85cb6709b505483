"""Whole reports on a small web: `make golden` writes them.

Read the difference before you commit it: it is what people and models read.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from kensaku import Hit, Kensaku, Settings
from kensaku.testing import FakeUpstream, faults
from tests.answers.conftest import FOOD, FOOD_TOO, RAKKO, SLEEP, page

FILE = Path(__file__).with_name("reports.json")
TASK = "How do sea otters sleep? What do sea otters eat each day? Who painted the Mona Lisa?"
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": (TASK, {}),
    "short, MLA": (TASK, {"output_length": "short", "citation_format": "mla"}),
    "long, APA": (TASK, {"output_length": "long", "citation_format": "apa", "model": "pro"}),
    "Chicago": (TASK, {"citation_format": "chicago", "model": "mini"}),
    "Japanese": ("ラッコは何を食べ、どこに住んでいますか。", {}),
    "values": (
        TASK,
        {
            "output_schema": {
                "properties": {
                    "sleep": {"type": "string", "description": "how sea otters sleep"},
                    "food": {"type": "array", "items": {"type": "string"}},
                    "share": {"type": "number", "description": "what they eat each day"},
                },
                "required": ["sleep"],
            }
        },
    ),
    "with a file": (
        "What do sea otters eat each day?",
        {"files": [{"name": "notes.md", "text": "# Zoo\n\nSea otters eat clams each day."}]},
    ),
}
_RAFTS = (
    "A raft of sea otters may hold a thousand animals. Males and females rest in rafts of their "
    "own. They wrap themselves in kelp while they sleep. Kelp keeps a sleeping otter in its place."
)


def serve(upstream: FakeUpstream) -> None:
    """Let the upstream hold pages about otters, and find them by their words."""
    pages = {
        "/sleep": (
            "sleep",
            "How otters sleep",
            [("Hands", SLEEP), ("Rafts", _RAFTS)],
            "2024-03-02",
        ),
        "/kelp": ("sleep", "Kelp forests", [("Rest", _RAFTS)], ""),
        "/food": ("eat", "What otters eat", [("Diet", FOOD)], "2025-01-15"),
        "/zoo": ("eat", "A zoo reports", [("Weight", FOOD_TOO)], "2023-07-01"),
        "/rakko": ("食べ", "ラッコ", [("概要", RAKKO)], ""),
    }
    upstream.answers("tavily", [])
    found: dict[str, list[Hit]] = {}
    for path, (word, title, sections, day) in pages.items():
        url = upstream.serves(path, page(title, *sections, date=day))
        hit = Hit(url, title, sections[0][1][:80], score=0.9, published=day or None)
        found.setdefault(word, []).append(hit)
    for word, hits in found.items():
        body = upstream.samples["tavily"].with_hits(hits)
        upstream.fails(
            "tavily",
            faults.wrong_shape(body),
            when=lambda request, word=word: word in request.json["query"],
        )


async def describe(name: str) -> dict[str, Any]:
    """Run a case, and return its report without what differs from run to run."""
    async with FakeUpstream() as upstream:
        serve(upstream)
        with tempfile.TemporaryDirectory() as home:
            settings = Settings.load(
                environ={"KENSAKU_HOME": home, "TAVILY_RATE": "100000/s", **upstream.environment("tavily")},
                route="tavily", state_url="memory:", cache_url="memory:", fetch_allow="127.0.0.1",
                fetch_ports="any", fetch_robots="never", timeout=600,
            )  # fmt: skip
            async with Kensaku(settings) as k:
                task, options = CASES[name]
                report = (await k.research(task, timeout=3_000, **options)).to_dict()
        text = json.dumps(report, ensure_ascii=False).replace(upstream.url, "https://web.example")
    # MLA and Chicago name the day on which a page was read.
    text = re.sub(
        r"\b\d{1,2} [A-Z][a-z]{2,8}\.? 20\d\d|[A-Z][a-z]{2,8} \d{1,2}, 20\d\d", "(day)", text
    )
    return _without_times(json.loads(text))


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        varying = {n for n in value if n.endswith(("elapsed_ms", "_at", "id", "confidence"))}
        return {n: _without_times(v) for n, v in value.items() if n not in varying}
    if isinstance(value, list):
        # Searches run at the same time, and are listed as they end.
        steps = sorted(value, key=lambda v: str(v.get("step", "")) if isinstance(v, dict) else "")
        return [_without_times(v) for v in steps]
    return value


async def write() -> None:
    """Take the reports of now as right."""
    known = {name: await describe(name) for name in CASES}
    FILE.write_text(json.dumps(known, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
