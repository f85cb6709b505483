"""What changed between two runs: queries, results, pages, and the report. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from kensaku.answers.report.bundle import page_hashes
from kensaku.answers.report.report import report_of
from kensaku.answers.report.state import State


@dataclass(frozen=True, slots=True)
class Change:
    """What one side has and the other has not."""

    added: tuple[str, ...]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


@dataclass(frozen=True, slots=True)
class Diff:
    """The differences of two runs, the older first."""

    queries: Change
    results: Mapping[str, Change]  # addresses, by query that both made
    pages: Change
    changed_pages: tuple[str, ...]  # read by both, with another text
    answered: Change
    report: str  # a unified diff

    def __bool__(self) -> bool:
        parts = (self.queries, self.pages, self.answered, self.results, self.changed_pages)
        return any(map(bool, parts)) or bool(self.report)

    def to_dict(self) -> dict[str, Any]:
        """The differences, ready for JSON."""
        return asdict(self)


def compare_runs(old: State, new: State) -> Diff:
    """Compare two finished runs."""
    before, after = _results(old), _results(new)
    common = [query for query in before if query in after]
    changes = {query: _change(before[query], after[query]) for query in common}
    mine, theirs = page_hashes(old), page_hashes(new)
    one, other = report_of(old), report_of(new)
    lines = difflib.unified_diff(
        (one.text or "").splitlines(), (other.text or "").splitlines(), "old", "new", lineterm=""
    )
    return Diff(
        _change(before, after),
        {query: change for query, change in changes.items() if change},
        _change(mine, theirs),
        tuple(url for url in mine if url in theirs and mine[url] != theirs[url]),
        _change(one.answered, other.answered),
        "\n".join(lines),
    )


def format_diff(found: Diff) -> str:
    """Return the differences for people: `+` and `-` lines under what they are about."""
    parts = [
        _section("Queries", found.queries),
        *(_section(f"Results of: {query}", change) for query, change in found.results.items()),
        _section("Pages", found.pages, found.changed_pages),
        _section("Answered questions", found.answered),
        f"Report\n{found.report}" if found.report else "",
    ]
    return "\n\n".join(filter(None, parts))


def _section(title: str, change: Change, changed: Iterable[str] = ()) -> str:
    lines = [f"+ {text}" for text in change.added] + [f"- {text}" for text in change.removed]
    lines += [f"~ {text}" for text in changed]
    return "\n".join([title, *lines]) if lines else ""


def _results(state: State) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for search, result in state.all_searched():
        found.setdefault(search.query, []).extend(hit["url"] for hit in result["hits"])
    return found


def _change(old: Iterable[str], new: Iterable[str]) -> Change:
    before, after = dict.fromkeys(old), dict.fromkeys(new)
    return Change(
        tuple(text for text in after if text not in before),
        tuple(text for text in before if text not in after),
    )
