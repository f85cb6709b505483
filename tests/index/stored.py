"""What the index stores of a text, and asks for: `make golden` writes it anew.

Indexes on people's disks hold the terms and the payloads of today. A document that was stored with
others is no longer found: after a change here, raise the format.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from kensaku.index.entries import (
    bm25_weights,
    day_of,
    make_entries,
    passage_terms,
    prepare,
    revision,
    sites_of,
)
from kensaku.index.meta import CollectionMeta
from kensaku.models import Document
from kensaku.models.passages import split
from kensaku.text.passages import sentences
from kensaku.text.tokens import document_terms, name_terms, query_terms, similar_terms

FILE = Path(__file__).with_name("stored.json")
_PROSE = (
    "Sea otters (Enhydra lutris) don't sleep alone: they hold hands. In 2024 the team of Dr. Hall "
    "counted 1,250 of them at 3.5 km/h. Is that many? Read-only e-mail, a C++ build, Node.js and "
    "the state-of-the-art `asyncio.Task.cancel()` are words, too; so is getUserName or HTTPServer2."
)
TEXTS = {
    "en": _PROSE,
    "long": f"# Otters\n\n{_PROSE * 4}\n\n## Where they live\n\n- kelp\n- rivers\n\n{_PROSE * 5}\n\n"
    + "word" * 700 + "\n\n```python\ndef swim(otter):\n    return otter.dive(depth=3)\n```\n",
    "de": "Der Donaudampfschifffahrtskapitän fährt über die Straße; Äpfel, Bäume und Flüsse.",
    "fr": "L'été dernier, les loutres n'étaient pas là où l'on croyait; cœur naïf, garçons.",
    "ja": "東京都でカワウソの親子が見つかりました。コンピューターのデータを2024年に調べた。",
    "zh": "水獺在河裡游泳。北京大學的研究人員發現了三隻小水獺。",
    "ko": "수달은 강에서 헤엄친다. 서울대학교 연구원이 새끼를 발견했다.",
    "th": "นากทะเลจับมือกันขณะนอนหลับ",
    "ru": "Выдры живут в реках и озёрах; исследователи насчитали 40 особей.",
    "code": "snake_case_name camelCaseName SCREAMING_CASE kebab-case-name v1.2.3 0x1F foo::bar a/b",
    "stops": "The Who: to be or not to be, that is it",
    "empty": " \n\t ",
}  # fmt: skip
URLS = [
    "https://www.a.b.example.co.uk:8080/x?y=z",
    "http://example.org",
    "file:///home/a.md",
    "doc:1",
]


def describe(name: str) -> dict[str, Any]:
    """Return the passages of a text, its terms, and those of a query with the same words."""
    text = TEXTS[name]
    document = Document(
        "https://docs.example.org/a", "The otter's guide", text, published="2024-05-03"
    )
    passages = split(document)
    found: dict[str, Any] = {
        "passages": [(p.start, p.end, p.heading) for p in passages],
        "short passages": [(p.start, p.end) for p in split(document, max_chars=120)],
        "sentences": list(sentences(text)),
        "revision": revision(document, "model"),
        "name": name_terms(text),
    }
    for language in ("en", "de", "ja"):
        terms = document_terms(text, language)
        found[f"terms {language}"] = [sorted(terms.words.items()), sorted(terms.pairs.items())]
        found[f"query {language}"] = sorted(query_terms(text[:60], (language,)).items())
        found[f"similar {language}"] = sorted(similar_terms(text, (language,)).items())
    found["unknown words"] = sorted(query_terms(text, ("en", "de"), lambda _: False).items())
    own = passage_terms("Title", "Heading", text, "en")
    for language in ("en", "ja"):
        found[f"weights {language}"] = [round(w, 5) for w in bm25_weights(own, 50.0, language)]
    return {part: _short(value) for part, value in found.items()}


def _short(value: Any) -> Any:
    """Return a value as JSON reads it, or a checksum of a long one."""
    text = json.dumps(value)
    return json.loads(text) if len(text) < 300 else zlib.crc32(text.encode())


WHOLE = Document(
    URLS[0],
    "T",
    "  One.\n\n" + "Words of it. " * 300 + "\n",
    "2024-05-06T07:08:09Z",
    "en",
    {"b": 1, "a": [2]},
)
SMALL = Document(URLS[1], "T", "# H\n\nOtters swim.", "2024-05-06")
DATES = (
    *("2024-05-03", "1969-12-31", "2024-05-03T23:30:00-05:00", "1969-12", "2024", "2024-05"),
    *("2024-13", "x", "", None),
)


def others() -> dict[str, Any]:
    """Return the sites of addresses, days as numbers, and all that is stored beside the terms."""
    prepared = [prepare(document, "rev") for document in (WHOLE, SMALL)]
    meta = CollectionMeta(20.0, 5, model="m", dimensions=3)
    meta.count([p.record for p in prepared])
    entries = [entry for p in prepared for entry in make_entries(p, 100.0, None)]
    return {
        "sites": [list(sites_of(url)) for url in URLS],
        "days": [day_of(date) for date in DATES],
        "entries": [[e.id, {**e.payload, "text": len(e.payload["text"])}] for e in entries],
        "collection": meta.to_entry().payload,
    }


def write() -> None:
    """Take what is stored now as right."""
    known = {name: describe(name) for name in TEXTS} | {"others": others()}
    lines = ",\n".join(
        f"{json.dumps(n)}: {json.dumps(v, ensure_ascii=False)}" for n, v in known.items()
    )
    FILE.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
