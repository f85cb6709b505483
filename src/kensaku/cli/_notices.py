"""What `kensaku search` says on standard error: who was not asked and why, and where queries go."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kensaku.cli._terminal import tell
from kensaku.models import Outcome

if TYPE_CHECKING:
    from kensaku.client import Kensaku
    from kensaku.models import Hit, Response

LISTING = ("plain", "markdown", "compact")  # these name the reasons themselves
MARKER = "keyless-notice"


class Notice:
    """Said once on a machine: without a key, queries go to services that need none."""

    def __init__(self, k: Kensaku, route: str | Iterable[str] | None, *, silent: bool) -> None:
        from kensaku.search.route import plan

        planned = plan(k.settings, route, None)
        self._first = planned.names[0]
        self._hosts = {
            name: urlsplit(k.provider(name).base_url).hostname or name for name in planned.pool
        }
        self._order = [name for name in planned.names if name in planned.pool]
        self._place = k.settings.home / MARKER
        self._due = not silent and bool(self._order) and not self._place.exists()

    def before(self) -> None:
        """Before anything is sent, when it is sure that one of them comes first."""
        if self._first in self._hosts:
            self._tell()

    def after(self, response: Response) -> None:
        """Afterwards, when one of them had to be asked."""
        if any(a.sent and a.provider in self._hosts for a in response.attempts):
            self._tell()

    def _tell(self) -> None:
        if not self._due:
            return
        self._due = False
        hosts = ", ".join(dict.fromkeys(self._hosts[name] for name in self._order))
        tell(
            f"Without a key, queries go to services that need none: {hosts}. They see the query."
            " KENSAKU_KEYLESS=0 turns this off. (This is said once.)"
        )
        with suppress(OSError):  # a home that cannot be written: it is said again, no harm done
            self._place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._place.write_text(hosts + "\n", encoding="utf-8")


def tell_about(response: Response, *, shown_already: bool) -> None:
    """Who could not be asked, what was cut or filtered, and whether the local index answered."""
    listed = shown_already and response.outcome is Outcome.UNAVAILABLE and sys.stdout.isatty()
    if not listed:
        for line in _trouble(response):
            tell(line)
    if not shown_already:  # those dialects have the notes, too
        for note in response.notes:
            tell(f"note: {note}")
    if any(a.provider == "local" and a.outcome is Outcome.FOUND for a in response.attempts):
        tell("The local index answered, not the web.")


def explain(response: Response) -> None:
    """How the response came about: attempts, confidence, and each hit's sources."""
    source = "the cache" if response.cached else f"{len(response.attempts)} attempts"
    tell(f"From {source} in {response.elapsed_ms:.0f} ms, for ${response.cost:.4f}.")
    for a in response.attempts:
        key = f" with key {a.key}" if a.key else ""
        what = str(a.error.message) if a.error else f"{a.outcome}, {a.hits} hits"
        tell(f"  {a.provider}{key}: {what}, {a.elapsed_ms:.0f} ms")
    if (c := response.confidence) is not None:
        tell(f"Confidence {c.score:.2f}, {c.level}: {c.advice}.")
    for n, hit in enumerate(response.hits, 1):
        tell(f"  {n}. {_standing(hit)}")


def _trouble(response: Response) -> list[str]:
    """A line for each who did not answer; those who share a reason share the line."""
    why: dict[str, str] = {}
    for a in response.attempts:
        if a.error is not None and (a.sent or a.provider not in why):
            said = str(a.error).removeprefix(f"{a.provider}: ")
            why[a.provider] = said if a.sent else f"not asked: {said}"
    names: dict[str, list[str]] = {}
    for provider, said in why.items():
        names.setdefault(said, []).append(provider)
    return [f"{', '.join(providers)}: {said}" for said, providers in names.items()]


def _standing(hit: Hit) -> str:
    where = ", ".join(
        f"{s.provider} #{s.rank}" + ("" if s.score is None else f" ({s.score:.2f})")
        for s in hit.sources
    )
    why = ", ".join(f"{name} {value}" for name, value in (hit.explain or {}).items() if value)
    return "; ".join(filter(None, [where or hit.provider, why]))
