"""A frontier whose changes are repeated elsewhere."""

from __future__ import annotations

from kensaku.fetch.crawl.recorded import RecordedFrontier
from kensaku.models import Page

A, B = "https://a.example/", "https://a.example/b"


async def test_changes_are_recorded_and_repeated() -> None:
    """As JSON; what was known already is none."""
    first, second = RecordedFrontier(), RecordedFrontier()
    assert await first.add([(A, 1.0), (B, 0.5)], 2) == [(A, 1.0), (B, 0.5)]
    assert await first.add([(A, 1.0)], 3) == []
    assert await first.is_new_text(b"\x01\xff", A) is True
    assert await first.is_new_text(b"\x01\xff", B) is False
    await first.finish(A, Page(A, "A", "Text."), 0.75)
    changes = first.take_changes()

    assert changes == [
        ["add", [[A, 1.0], [B, 0.5]], 2],
        ["text", "01ff", A],
        ["finish", A, 0.75],
    ]
    assert first.take_changes() == []

    for _ in range(2):  # a second time changes nothing
        await second.replay(changes)
    assert second.take_changes() == []
    assert await second.urls() == await first.urls() == [A, B]
    assert await second.counts() == await first.counts() == (1, 1)
    assert await second.take(5) == [(B, 2, 0.5)]
    assert await second.is_new_text(b"\x01\xff", B) is False
    assert await second.is_new_text(b"\x01\xff", A) is True
    assert await first.pages() == []
    for frontier in (first, second):
        await frontier.close()
