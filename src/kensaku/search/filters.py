"""Drop hits with other domains, other dates or low scores."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from kensaku.messages import msg
from kensaku.models.query import date_window
from kensaku.text.urls import in_domain, site_of

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


def filter_hits(
    hits: Sequence[Hit], query: Query, *, block: Sequence[str], undated: str, today: date
) -> tuple[list[Hit], list[str]]:
    """Apply the query's filters again, since upstreams may ignore them.

    Returns the hits that pass, and one sentence for each thing that was left out.
    """
    notes: list[str] = []
    passed = list(hits)
    if query.include_domains or query.exclude_domains or block:
        only, never = query.include_domains, (*query.exclude_domains, *block)
        passed = [h for h in passed if _in_domains(site_of(h), only, never)]
        if gone := len(hits) - len(passed):
            notes.append(
                msg(
                    "{gone} of {count} hits were of other domains and were left out",
                    gone=gone,
                    count=len(hits),
                )
            )
    if query.min_score is not None:
        least, count = query.min_score, len(passed)
        passed = [h for h in passed if h.score is None or h.score >= least]
        if gone := count - len(passed):
            notes.append(
                msg(
                    "{gone} hits were scored below {least:g} and were left out",
                    gone=gone,
                    least=least,
                )
            )
    first, last = date_window(query, today)
    if first or last:
        passed, more = _in_window(passed, first, last, undated)
        notes += more
    return passed, notes


_UNDATED = {"keep": msg("kept"), "last": msg("put last"), "drop": msg("left out")}


def _in_domains(host: str, only: Sequence[str], never: Sequence[str]) -> bool:
    if any(in_domain(host, d) for d in never):
        return False
    return not only or any(in_domain(host, d) for d in only)


def _in_window(
    hits: Sequence[Hit], first: date | None, last: date | None, undated: str
) -> tuple[list[Hit], list[str]]:
    dated, without = [], []
    for hit in hits:
        if hit.published is None:
            without.append(hit)
        elif (first is None or hit.published[:10] >= first.isoformat()) and (
            last is None or hit.published[:10] <= last.isoformat()
        ):
            dated.append(hit)
    notes = []
    if gone := len(hits) - len(dated) - len(without):
        notes.append(
            msg(
                "{gone} of {count} hits were outside the dates and were left out",
                gone=gone,
                count=len(hits),
            )
        )
    if without:
        notes.append(
            msg(
                "{count} of {total} hits have no date and were {done}",
                count=len(without),
                total=len(hits),
                done=_UNDATED[undated],
            )
        )
    if undated == "keep":
        kept = set(map(id, dated)) | set(map(id, without))
        return [h for h in hits if id(h) in kept], notes
    return dated + (without if undated == "last" else []), notes
