"""The pages that a sitemap lists: addresses, which the job fetches as a crawl does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kensaku.jobs.sources.record import Address, Item, Shard

SHARD = 200  # pages


def shards(pages: Iterable[str]) -> Iterator[Shard]:
    """Group the pages of a sitemap."""
    unique = tuple(dict.fromkeys(pages))
    for start in range(0, len(unique), SHARD):
        some = unique[start : start + SHARD]
        yield Shard("sitemap", some, len(some))


def records(shard: Shard) -> Iterator[Item]:
    """Yield the addresses."""
    for n, url in enumerate(shard.files, 1):
        yield Item(Address(url), n)
