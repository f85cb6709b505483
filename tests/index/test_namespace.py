"""A tenant sees its own collections, under its own names, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from kensaku.errors import IndexFault, InvalidQuery, UnknownName
from kensaku.index.namespace import NamespacedClient, names_in, prefix_of, stored_name

ACME = prefix_of("acme")


class Client:
    """An index client that remembers its calls."""

    def __init__(self, **results: Any) -> None:
        self.results, self.calls, self.closed = results, list[tuple[str, Any]](), False

    async def call(self, name: str, **arguments: Any) -> Any:
        self.calls.append((name, arguments))
        result = self.results.get(name)
        if isinstance(result, Exception):
            raise result
        return result

    async def close(self) -> None:
        self.closed = True


NAMES = ["docs", "pydocs", f"{ACME}docs", f"{prefix_of('other')}docs"]


def tenant(name: str = "acme", **results: Any) -> tuple[NamespacedClient, Client]:
    client: Any = Client(**{"collections": NAMES, **results})
    return NamespacedClient(client, name), client


def test_names_are_stored_with_the_tenants_prefix() -> None:
    """Sixteen digits that do not tell who it is; none for nobody, nor for what is everybody's."""
    assert ACME.startswith("tenant.")
    assert ACME.endswith(".")
    assert len(ACME) == len("tenant.") + 16 + 1
    assert "acme" not in ACME
    assert prefix_of("") == ""
    assert stored_name("docs", "acme") == f"{ACME}docs"
    assert stored_name("pydocs", "acme") == "pydocs"
    assert stored_name("docs", "") == "docs"
    assert names_in(NAMES, "") == ["docs", "pydocs"]
    assert names_in(NAMES, ACME) == ["pydocs", f"{ACME}docs"]


async def test_calls_are_made_with_stored_names() -> None:
    """And their results have the names of the caller."""
    acme, client = tenant(
        add={"added": 1},
        stats={"docs": 1, f"{ACME}docs": 2, "pydocs": 3},
        check={f"{ACME}docs": 4},
        search={"rows": [{"collection": f"{ACME}docs", "x": 1}], "notes": [f"{ACME}docs is lost"]},
    )
    assert await acme.call("collections") == ["pydocs", "docs"]
    assert await acme.call("add", collection="docs", documents=[]) == {"added": 1}
    assert client.calls[-1] == ("add", {"collection": f"{ACME}docs", "documents": []})
    assert await acme.call("stats", collection="docs") == {"pydocs": 3, "docs": 2}
    assert await acme.call("check", collection="pydocs") == {"docs": 4}
    assert client.calls[-1] == ("check", {"collection": "pydocs"})
    assert await acme.call("search", request={"collections": ["docs", "pydocs"], "q": 1}) == {
        "rows": [{"collection": "docs", "x": 1}],
        "notes": ["docs is lost"],
    }
    asked = {"collections": [f"{ACME}docs", "pydocs"], "q": 1, "namespace": ACME}
    assert client.calls[-1] == ("search", {"request": asked})
    await acme.call("search", request={"collections": None})
    assert client.calls[-1][1]["request"] == {"collections": None, "namespace": ACME}
    await acme.close()
    assert client.closed


async def test_nobodys_names_are_their_own() -> None:
    """Without a tenant nothing is changed."""
    nobody, client = tenant("", stats={"docs": 1, f"{ACME}docs": 2}, foreign=["x"], snapshot=7,
                            search={"rows": [{"collection": "docs"}], "notes": ["n"]})  # fmt: skip
    assert await nobody.call("collections") == ["docs", "pydocs"]
    assert await nobody.call("stats", collection=None) == {"docs": 1}
    assert client.calls[-1] == ("stats", {"collection": None})
    assert await nobody.call("foreign") == ["x"]
    assert await nobody.call("snapshot") == 7
    found = await nobody.call("search", request={"collections": ["pydocs"]})
    assert found == {"rows": [{"collection": "docs"}], "notes": ["n"]}
    await nobody.call("drop", collection="pydocs")
    assert client.calls[-1] == ("drop", {"collection": "pydocs"})


async def test_a_call_about_all_collections_is_made_for_each() -> None:
    """What is everybody's is read, and never changed."""
    acme, client = tenant(stats={f"{ACME}docs": 1, "pydocs": 2}, optimize=None)
    assert await acme.call("stats", collection=None, more=1) == {"docs": 1, "pydocs": 2}
    assert [c for c in client.calls if c[0] == "stats"] == [
        ("stats", {"collection": "pydocs", "more": 1}),
        ("stats", {"collection": f"{ACME}docs", "more": 1}),
    ]
    assert await acme.call("optimize", collection=None) == {}
    assert [c for c in client.calls if c[0] == "optimize"] == [
        ("optimize", {"collection": f"{ACME}docs"})
    ]


@pytest.mark.parametrize("call", ["add", "delete", "drop", "optimize"])
async def test_what_is_everybodys_cannot_be_changed(call: str) -> None:
    """Nor can another tenant's be named."""
    acme, client = tenant()
    with pytest.raises(InvalidQuery, match="pydocs is everybody's"):
        await acme.call(call, collection="pydocs")
    with pytest.raises(InvalidQuery, match=r"cannot be called 'tenant\.x"):
        await acme.call(call, collection="tenant.x" + "y" * 100)
    assert client.calls == []


async def test_calls_about_the_whole_index_are_the_operators() -> None:
    """Other applications' collections, and snapshots."""
    acme, client = tenant()
    assert await acme.call("foreign") == []
    with pytest.raises(InvalidQuery, match="the operator takes it"):
        await acme.call("snapshot")
    assert client.calls == []


async def test_errors_do_not_tell_of_others() -> None:
    """They have the tenant's names, and suggest only its own."""
    fault = IndexFault(f"{ACME}docs is lost", remedy=f"drop {ACME}docs")
    acme, _ = tenant(delete=fault, documents=UnknownName("collection", f"{ACME}docz", NAMES))
    with pytest.raises(IndexFault) as caught:
        await acme.call("delete", collection="docs")
    assert (caught.value.message, caught.value.remedy) == ("docs is lost", "drop docs")
    assert caught.value.args == ("docs is lost",)
    with pytest.raises(UnknownName) as unknown:
        await acme.call("documents", collection="docz")
    assert unknown.value.name == "docz"
    assert "tenant." not in str(unknown.value)
    assert await acme.call("collections") == ["pydocs", "docs"]


async def test_a_name_that_is_no_name_is_passed_on() -> None:
    """The index says what is wrong with it."""
    acme, client = tenant()
    await acme.call("add", collection=7)
    assert client.calls == [("add", {"collection": 7})]
