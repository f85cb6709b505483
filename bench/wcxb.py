"""All pages of WCXB's dev split with their answers: author, date and Markdown."""

from __future__ import annotations

import gzip
import json
import lzma
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Answer:
    """One page with what is right about it; None and "" where nobody wrote it down."""

    url: str
    kind: str
    html: str
    author: str | None
    published: str | None
    markdown: str


def _folder() -> Path:
    given = os.environ.get("KENSAKU_DATA")
    data = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    return data / "extract"


def data_is_here() -> bool:
    """Whether the data exists; says so if not."""
    if (_folder() / "wcxb-dev-meta.jsonl.xz").exists():
        return True
    print(f"skipped: there is no {_folder()}; set KENSAKU_DATA to the folder of the data")
    return False


def load_answers() -> list[Answer]:
    """All 1,497 pages."""
    with lzma.open(_folder() / "wcxb-dev-meta.jsonl.xz", "rt", encoding="utf-8") as lines:
        answers = {row["id"]: row for row in map(json.loads, lines)}
    with gzip.open(_folder() / "wcxb-dev-360.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    with lzma.open(_folder() / "wcxb-dev-rest.jsonl.xz", "rt", encoding="utf-8") as lines:
        rows += [json.loads(line) for line in lines]
    return [
        Answer(
            url=row["url"] or "",
            kind=row["type"],
            html=row["html"],
            author=answers[row["id"]]["author"],
            published=answers[row["id"]]["published"],
            markdown=answers[row["id"]]["markdown"] or "",
        )
        for row in rows
    ]
