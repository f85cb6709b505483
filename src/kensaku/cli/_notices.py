"""Messages about a search on stderr: failed providers, notes, and where queries are sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kensaku.cli._terminal import print_message, t
from kensaku.errors import CalledOff, NoNetwork
from kensaku.messages import msg
from kensaku.models import Outcome
from kensaku.search.route import plan

if TYPE_CHECKING:
    from kensaku.answers.answer import Answer
    from kensaku.answers.context import Context
    from kensaku.answers.report.report import Report
    from kensaku.client import Kensaku
    from kensaku.errors import KensakuError
    from kensaku.models import Attempt, Hit, Query, Response

MARKER = "keyless-notice"
OUTCOMES = {"found": msg("found"), "empty": msg("empty"), "unavailable": msg("unavailable")}
LEVELS = {"high": msg("high"), "medium": msg("medium"), "low": msg("low"), "none": msg("none")}
# What a dialect writes itself is not repeated on stderr.
WRITE_REASONS = ("plain", "markdown", "compact")
WRITE_LOCAL = ("plain", "markdown", "compact")
WRITE_NOTES = ("plain", "markdown")


class KeylessNotice:
    """Printed once per home: without a key, queries go to services that need none.

    A file in the home remembers it. Until then the route is planned here, too, because the notice
    has to be printed before the first query is sent.
    """

    def __init__(
        self, k: Kensaku, route: str | Iterable[str] | None, query: Query | None = None
    ) -> None:
        self._marker = k.settings.home / MARKER
        self._first: tuple[str, ...] = ()  # who is asked at once, or may be when no query is given
        self._hosts: dict[str, str] = {}
        if self._marker.exists():
            return
        planned = plan(k.settings, route, None)
        beside = tuple(dict.fromkeys(n for names in planned.specialists.values() for n in names))
        self._first = (planned.names[0], *(planned.beside(query).names if query else beside))
        keyless = [n for n in beside if not k.settings.provider(n).keys]
        self._hosts = {
            name: k.resources.provider(name).keyless_host
            for name in (*planned.names, *keyless)
            if name in planned.pool or name in keyless
        }

    def print_before(self) -> None:
        """Print it before the search if a keyless service is asked first."""
        if any(name in self._hosts for name in self._first):
            self._print()

    def print_after(self, attempts: Iterable[Attempt]) -> None:
        """Print it after the search if a keyless service was asked."""
        if any(a.sent and a.provider in self._hosts for a in attempts):
            self._print()

    def _print(self) -> None:
        hosts = ", ".join(dict.fromkeys(self._hosts.values()))
        self._hosts = {}
        print_message(
            t(
                "Without a key, queries go to services that need none: {hosts}. They see the "
                "query. KENSAKU_KEYLESS=0 turns this off. (This is said once.)",
                hosts=hosts,
            )
        )
        with suppress(OSError):  # if the home cannot be written, the notice is printed again
            self._marker.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._marker.write_text(hosts + "\n", encoding="utf-8")


def print_notices(
    outcome: Outcome, attempts: Sequence[Attempt], notes: Iterable[str], *, dialect: str = ""
) -> None:
    """Print failed providers, notes, and that only the local index answered.

    What `dialect` has already written on stdout is left out.
    """
    name, unavailable = dialect.partition(":")[0], outcome is Outcome.UNAVAILABLE
    if not (unavailable and name in WRITE_REASONS):
        for line in _failures(attempts):
            print_message(line)
    if unavailable or name not in WRITE_NOTES:
        for note in notes:
            print_message(t("note: {note}", note=note))
    if name not in WRITE_LOCAL and not unavailable and only_local(attempts):
        print_message(t("The local index answered, not the web."))


def print_outcome(result: Context | Answer | Report) -> int:
    """Print the messages about the search behind a result; return the exit status."""
    print_notices(result.outcome, result.attempts, result.notes)
    if result.outcome is Outcome.UNAVAILABLE:
        print_message(t("Nobody could search."))
    elif result.outcome is Outcome.EMPTY:
        print_message(t("Nothing was found."))
    return int(result.outcome is Outcome.UNAVAILABLE)


def print_explanation(response: Response) -> None:
    """Explain the response: attempts, confidence, and each hit's sources."""
    figures: dict[str, Any] = {"ms": response.elapsed_ms, "cost": response.cost}
    if response.cached:
        print_message(t("From the cache in {ms:.0f} ms, for ${cost:.4f}.", **figures))
    else:
        print_message(
            t(
                "From {n} attempt in {ms:.0f} ms, for ${cost:.4f}.",
                "From {n} attempts in {ms:.0f} ms, for ${cost:.4f}.",
                n=len(response.attempts),
                **figures,
            )
        )
    for a in response.attempts:
        name = t("{name} with key {key}", name=a.provider, key=a.key) if a.key else a.provider
        hits = t("{n} hit", "{n} hits", n=a.hits)
        what = t(a.error.message) if a.error else f"{t(OUTCOMES[a.outcome])}, {hits}"
        print_message(f"  {name}: {what}, {a.elapsed_ms:.0f} ms")
    if (c := response.confidence) is not None:
        said = t("Confidence {score:.2f}, {level}: {advice}.",
                 score=c.score, level=t(LEVELS[c.level]), advice=t(c.advice))  # fmt: skip
        print_message(said)
    for n, hit in enumerate(response.hits, 1):
        print_message(f"  {n}. {_sources(hit)}")


def _failures(attempts: Sequence[Attempt]) -> list[str]:
    """Return a line for each provider that failed; equal reasons share a line.

    One that was called off because another answered has not failed.
    """
    answered = {a.provider for a in attempts if a.error is None}
    reasons: dict[str, str] = {}
    for a in attempts:
        if a.error is None or isinstance(a.error, CalledOff) or a.provider in answered:
            continue
        if a.sent or a.provider not in reasons:
            reason = _reason(a.error)
            asked = a.sent or isinstance(a.error, NoNetwork)
            reasons[a.provider] = reason if asked else t("not asked: {reason}", reason=reason)
    providers: dict[str, list[str]] = {}
    for provider, reason in reasons.items():
        providers.setdefault(reason, []).append(provider)
    return [
        t("{name}: {text}", name=", ".join(names), text=reason)
        for reason, names in providers.items()
    ]


def _reason(error: KensakuError) -> str:
    """Return an error without the name of its provider."""
    if not error.remedy:
        return t(error.message)
    return t("{message}; {remedy}", message=t(error.message), remedy=t(error.remedy))


def only_local(attempts: Iterable[Attempt]) -> bool:
    """Whether the local index found something, and nobody else."""
    return {a.provider for a in attempts if a.outcome is Outcome.FOUND} == {"local"}


def _sources(hit: Hit) -> str:
    ranks = ", ".join(
        f"{s.provider} #{s.rank}" + ("" if s.score is None else f" ({s.score:.2f})")
        for s in hit.sources
    )
    facts = hit.explain.to_dict() if hit.explain else {}
    factors = ", ".join(f"{name} {value}" for name, value in facts.items() if value)
    return "; ".join(filter(None, [ranks or hit.provider, factors]))
