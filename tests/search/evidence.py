"""What speaks for each intent in the labelled queries: `make golden` writes it.

The weights are fitted on this evidence. A piece that is found otherwise makes them wrong without
any error: fit them again (`bench/intent.py --fit`).
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from kensaku.search.intent import intent_of, subject
from kensaku.search.intent.cues import Text
from kensaku.search.intent.evidence import evidence_of

FILE = Path(__file__).with_name("evidence.json")
SETS = sorted(Path(__file__).with_name("intents").glob("*.json"))


def queries() -> list[str]:
    """Return all labelled queries."""
    sets = [json.loads(path.read_text(encoding="utf-8")) for path in SETS]
    return [query for one in sets for part in one.values() for query in part]


def describe() -> dict[str, Any]:
    """Return how often each piece of evidence is found, and how much of it; what is looked for."""
    count: Counter[str] = Counter()
    total: Counter[str] = Counter()
    characters: Counter[str] = Counter()
    for query in queries():
        evidence = evidence_of(Text(query))
        count.update(evidence.keys())
        total.update(evidence)
        intent = intent_of(query)
        characters[intent] += len(subject(query, intent))
    return {
        "evidence": {name: [count[name], round(total[name], 1)] for name in sorted(count)},
        "characters of the subjects": dict(sorted(characters.items())),
    }


def write() -> None:
    """Take what is found now as right."""
    FILE.write_text(json.dumps(describe(), indent=1) + "\n", encoding="utf-8")
