"""Read small test collections whose queries are topics: queries, documents, who is right.

They are found in public repositories. Copy the files of each into a folder of its name below
$KENSAKU_TOPICAL (or topical/ beside the other data):

    adi cisi cran med   github.com/lailaglez/belief-network-irs: the folders of the same names
    cacm                github.com/charlesdlrsa/moteur_recherche_fri: cacm/
    time                github.com/Chaplinski/IR-Assignment3: time/
    npl                 github.com/terrier-org/terrier-core: share/vaswani_npl, and its corpus/
    lisa                github.com/imadken/Search-Engine: lisa/, and lisa/docs/* as one LISA.ALL

They were given away for research long before licences were usual. LISA, whose licence allows
research alone, is measured and never fitted on. Nothing of their text is in this repository.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kensaku import Document

DATA = Path(os.environ.get("KENSAKU_DATA") or Path(__file__).parents[2] / "shared" / "data")
TOPICAL = Path(os.environ.get("KENSAKU_TOPICAL") or DATA / "topical")
SMART = {  # the documents, queries and judgements of collections in SMART's format
    "adi": ("ADI.ALL", "ADI.QRY", "ADI.REL"),
    "cisi": ("CISI.ALL", "CISI.QRY", "CISI.REL"),
    "cran": ("cran.all.1400", "cran.qry", "cranqrel"),
    "med": ("MED.ALL", "MED.QRY", "MED.REL"),
    "cacm": ("cacm.all", "query.text", "qrels.text"),
}
NAMES = (*SMART, "time", "npl", "lisa")


@dataclass(frozen=True)
class Question:
    """A query, and the addresses of the documents that are right, or that judges doubted."""

    text: str
    right: frozenset[str]
    doubtful: frozenset[str] = frozenset()


@dataclass(frozen=True)
class JudgedSet:
    documents: list[Document]
    questions: list[Question]


def available() -> list[str]:
    """Return the names of the collections that are there."""
    return [name for name in NAMES if (TOPICAL / name).is_dir()]


def read(name: str) -> JudgedSet:
    """Read one collection; queries that nobody judged are left out."""
    folder = TOPICAL / name
    reader = {"time": _time, "npl": _npl, "lisa": _lisa}.get(name)
    documents, queries, grades = reader(folder) if reader else _smart(folder, SMART[name])
    questions = []
    for number, text in queries.items():
        judged = {d: g for (q, d), g in grades.items() if q == number}
        right = frozenset(f"doc:{d}" for d, g in judged.items() if g > 0)
        doubtful = frozenset(f"doc:{d}" for d, g in judged.items() if g <= 0)
        if right:
            questions.append(Question(text, right, doubtful))
    return JudgedSet([_document(n, *parts) for n, parts in documents.items()], questions)


Read = tuple[dict[int, tuple[str, str]], dict[int, str], dict[tuple[int, int], int]]


def _smart(folder: Path, files: tuple[str, str, str]) -> Read:
    records = [list(_records(_text(folder / f))) for f in files[:2]]
    documents = {n: (_words(f.get("T")), _words(f.get("W"))) for n, f in records[0]}
    # Cranfield's judgements count its queries; the numbers of the queries leave some out.
    queries = {n: _words(fields["W"]) for n, (_, fields) in enumerate(records[1], 1)}
    graded = "cran" in files[2]
    grades = {}
    for line in _text(folder / files[2]).splitlines():
        if numbers := [int(float(x)) for x in line.split()]:
            grades[numbers[0], numbers[1]] = numbers[2] if graded else 1
    return documents, queries, grades


def _records(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the numbered records of a file and their fields, which are named by a letter."""
    for record in re.split(r"(?m)^\.I ", text)[1:]:
        number, _, rest = record.partition("\n")
        parts = re.split(r"(?m)^\.([A-Z])[ \t]*\n", "\n" + rest)
        yield int(number), dict(zip(parts[1::2], parts[2::2], strict=True))


def _time(folder: Path) -> Read:
    articles = re.split(r"(?m)^\*TEXT.*$", _text(folder / "TIME.ALL"))[1:]
    # The judgements count the articles; their own numbers have gaps.
    documents = {n: ("", _words(text).lower()) for n, text in enumerate(articles, 1)}
    parts = re.split(r"(?m)^\*FIND +(\d+)", _text(folder / "TIME.QUE"))
    queries = {
        int(n): _words(text.replace("*STOP", "")).lower()
        for n, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    rows = (line.split() for line in _text(folder / "TIME.REL").splitlines())
    grades = {(int(row[0]), int(d)): 1 for row in rows if row for d in row[1:]}
    return documents, queries, grades


def _npl(folder: Path) -> Read:
    found = re.findall(r"(?s)<DOCNO>(\d+)</DOCNO>(.*?)</DOC>", _text(folder / "doc-text.trec"))
    asked = re.findall(
        r"(?s)<num>(\d+)</num>\s*<title>(.*?)</title>", _text(folder / "query-text.trec")
    )
    grades = {}
    for line in _text(folder / "qrels").splitlines():
        query, _, document, grade = line.split()
        grades[int(query), int(document)] = int(grade)
    documents = {int(n): ("", _words(text)) for n, text in found}
    return documents, {int(n): _words(text).lower() for n, text in asked}, grades


def _lisa(folder: Path) -> Read:
    documents = {}
    for record in re.split(r"(?m)^\*{20,}\s*$", _text(folder / "LISA.ALL")):
        if match := re.match(r"\s*Document +(\d+)[ \t]*\n(.*?)\n[ \t]*\n(.*)", record, re.DOTALL):
            documents[int(match[1])] = (_words(match[2]).lower(), _words(match[3]).lower())
    asked = re.findall(r"(?s)(\d+)\s*\n(.*?)#", _text(folder / "LISA.QUE"))
    judged = re.findall(r"(?s)Query (\d+)\s+\d+ Relevant Refs:(.*?)-1", _text(folder / "LISA.REL"))
    grades = {(int(q), int(d)): 1 for q, row in judged for d in row.split()}
    return documents, {int(n): _words(text).lower() for n, text in asked}, grades


def _text(path: Path) -> str:
    return path.read_text("latin-1")


def _words(text: str | None) -> str:
    return " ".join((text or "").split())


def _document(number: int, title: str, text: str) -> Document:
    return Document(url=f"doc:{number}", title=title, text=text or title)
