"""Usage by what a client does."""

from __future__ import annotations

from kensaku.database import Database
from kensaku.database.usage import UsageWriter, summarise
from kensaku.database.usage_observer import UsageObserver
from kensaku.observe import Caller, caller
from kensaku.testing import FakeUpstream, faults
from tests.conftest import MakeClient


async def test_a_request_to_a_provider_is_recorded_for_whom_it_was_made(
    file_db: Database, make_client: MakeClient, upstream: FakeUpstream
) -> None:
    """An error counts more than the outcome; what was not sent is not used."""
    usage = UsageWriter(file_db)
    client = make_client("tavily", "brave", observers=[UsageObserver(usage)])
    upstream.fails("tavily", faults.status(401))
    token = caller.set(Caller("r1", "acme", "k1", "tavily/search"))
    await client.search("otter")
    caller.reset(token)
    await client.search("badger")  # the key of Tavily was refused: it is left alone
    await usage.flush()

    by_provider = {row.group: row for row in await summarise(file_db, "provider")}
    (acme,) = await summarise(file_db, "endpoint", tenant="acme")
    assert {name: row.searches for name, row in by_provider.items()} == {"tavily": 1, "brave": 2}
    assert by_provider["tavily"].outcomes == {"KeyRefused": 1}
    assert by_provider["brave"].outcomes == {"found": 2}
    assert by_provider["brave"].cost > 0
    assert (acme.group, acme.searches) == ("tavily/search", 2)
    assert {row.group for row in await summarise(file_db, "key")} == {"", "k1"}
