"""Specialists: for papers, code and error messages, `auto` also asks specialised sources.

    Route.beside(query) → with_specialists: the web's findings, and theirs as far as they are there
                        → interleave: web, specialist, web, … → one list

The web does not wait for them: they are asked at the same time, once, without waiting for a turn,
and what has not come shortly after the web's answer is called off. They do not count against a
budget of searches, and none of them is asked when it is spent. When the caller chose the topic, or
the web found nothing, they are waited for until the deadline.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from kensaku.errors import CalledOff
from kensaku.messages import msg
from kensaku.search.rank import fuse, merge
from kensaku.text.terms import is_about

if TYPE_CHECKING:
    from kensaku.models import Hit
    from kensaku.providers.base import Findings
    from kensaku.search.run import Run

GRACE = 0.25  # seconds after the web's answer in which a specialist may still answer
WHAT = {"papers": msg("papers"), "code": msg("code"), "errors": msg("an error message")}

Ask = Callable[["Run", str], Awaitable["Findings | None"]]


async def with_specialists(
    run: Run, web: Awaitable[dict[str, Findings]], ask: Ask
) -> tuple[dict[str, Findings], dict[str, Findings]]:
    """Await the web results; return them with those of the specialists that have answered."""
    if not run.beside.names or (run.budget.bounded and await run.budget.is_spent()):
        return await web, {}
    tasks = {n: asyncio.ensure_future(ask(run, n)) for n in run.beside.names}
    try:
        findings = await web
        await asyncio.wait(tasks.values(), timeout=_patience(run, findings))
        answers = {n: t.result() for n, t in tasks.items() if t.done()}
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        _skip_unasked(run)
    return findings, {n: found for n, found in answers.items() if found is not None}


def _patience(run: Run, findings: dict[str, Findings]) -> float:
    """Seconds to wait for specialists once the web has answered."""
    answered = any(f.hits for n, f in findings.items() if run.resources.provider(n).is_web)
    left = max(0.0, run.seconds_left)
    return left if run.beside.asked_for or not answered else min(GRACE, left)


def _skip_unasked(run: Run) -> None:
    tried = {attempt.provider for attempt in run.attempts}
    for name in run.beside.names:
        if name not in tried:
            run.skip(name, CalledOff(name, msg("the web answered before its turn came")))


def beside_note(run: Run) -> list[str]:
    """Return a note that names the specialists that were asked, and why."""
    sent = {a.provider for a in run.attempts if a.sent}
    names = [n for n in run.beside.names if n in sent]
    if not names:
        return []
    asked = ", ".join(names)
    if run.beside.asked_for:
        return [msg("asked beside the web, as asked: {names}", names=asked)]
    what = WHAT[run.beside.intent]
    return [msg("asked beside the web, for {what}: {names}", what=what, names=asked)]


def interleave(run: Run, web: Sequence[Hit], special: Sequence[Sequence[Hit]]) -> list[Hit]:
    """One list that alternates between the web and the specialists, without duplicates.

    The web comes first, unless the caller chose the topic. A guess may be wrong: then the
    specialists' hits count only where they are about the query.
    """
    query, beside = run.query, run.beside
    known = fuse(special, query)
    if not beside.asked_for:
        known = [hit for hit in known if is_about(beside.text, [hit])]
    pairs = zip_longest(known, web) if beside.asked_for else zip_longest(web, known)
    return merge([hit for hit in chain.from_iterable(pairs) if hit is not None], query)
