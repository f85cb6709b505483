"""Usage by what a client does."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from kensaku.database.usage_observer import UsageObserver
from kensaku.observe import Caller, Operation, caller
from kensaku.operations import AttemptOperation


@dataclass
class Recorder:
    """A writer that keeps what it is given."""

    records: list[dict] = field(default_factory=list)

    def record(self, **values: object) -> None:
        self.records.append(values)


WHO = Caller("r1", "acme", "k1", "tavily/search")


@pytest.mark.parametrize(
    ("who", "error", "outcome", "labels"),
    [
        (WHO, "", "found", ("acme", "k1", "tavily/search")),
        (WHO, "Timeout", "Timeout", ("acme", "k1", "tavily/search")),
        (None, "", "found", ("", "", "")),
    ],
)
def test_a_request_to_a_provider_is_recorded_for_whom_it_was_made(who, error, outcome, labels):
    """An error counts more than the outcome."""
    writer = Recorder()
    attempt = AttemptOperation("brave", outcome="found", cost=0.5)
    attempt.error, attempt.elapsed_ms = error, 12.5
    token = caller.set(who)

    UsageObserver(writer).end(attempt)

    caller.reset(token)
    tenant, key, endpoint = labels
    assert writer.records == [
        {
            "outcome": outcome,
            "tenant": tenant,
            "key": key,
            "endpoint": endpoint,
            "provider": "brave",
            "cost": 0.5,
            "elapsed_ms": 12.5,
        }
    ]


def test_what_was_not_sent_is_not_used():
    """The provider had a cooldown, say; and other work is counted elsewhere."""
    writer = Recorder()
    observer = UsageObserver(writer)

    observer.end(AttemptOperation("brave", sent=False))
    observer.end(Operation())

    assert writer.records == []
