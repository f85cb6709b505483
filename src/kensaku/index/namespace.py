"""Give each tenant its own collections in one index, by a prefix of their names.

    "docs" of tenant "acme" → "tenant.2f1c….docs" → engine
    "docs" of no tenant     → "docs"

A tenant reaches its own collections, and those that everybody may read. Who has no tenant does not
reach the tenants'.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from kensaku.errors import InvalidQuery, KensakuError, UnknownName
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.index.worker.client import IndexClient

MARK = "tenant."
PUBLIC = ("pydocs",)  # nobody's own: every tenant may read them
_WRITES = frozenset({"add", "delete", "drop", "optimize"})
_OF_ALL = frozenset({"foreign", "snapshot"})  # calls about the whole index, not one collection


def prefix_of(tenant: str) -> str:
    """Return the prefix of the names of a tenant's collections; "" for no tenant."""
    return f"{MARK}{blake2b(tenant.encode(), digest_size=8).hexdigest()}." if tenant else ""


def stored_name(name: str, tenant: str) -> str:
    """Return the name under which the index keeps a collection that a tenant calls `name`."""
    return name if name in PUBLIC else prefix_of(tenant) + name


def names_in(names: Iterable[str], prefix: str) -> list[str]:
    """Return the collections that are searched when a search names none."""
    if not prefix:
        return [n for n in names if not n.startswith(MARK)]
    return [n for n in names if n.startswith(prefix) or n in PUBLIC]


class NamespacedClient:
    """An index client that sees the collections of one tenant, under their own names."""

    def __init__(self, client: IndexClient, tenant: str) -> None:
        self._client, self._prefix = client, prefix_of(tenant)

    async def call(self, name: str, **arguments: Any) -> Any:
        """Make the call with the tenant's names, and return the result with the caller's."""
        if self._prefix and name in _OF_ALL:
            return self._refused(name)
        if name == "search":
            arguments["request"] = self._request(arguments["request"])
        elif "collection" in arguments:
            if arguments["collection"] is None and self._prefix:
                return await self._call_each(name, arguments)
            arguments["collection"] = self._full(arguments["collection"], write=name in _WRITES)
        try:
            return self._result(name, await self._client.call(name, **arguments))
        except UnknownName as error:  # it may suggest another tenant's collection
            known = await self.call("collections")
            raise UnknownName(msg("collection"), self._own(error.name), known) from None
        except KensakuError as error:
            error.message, error.remedy = self._own(error.message), self._own(error.remedy)
            error.args = (error.message,)
            raise

    def _refused(self, name: str) -> list[str]:
        if name == "foreign":
            return []  # other applications' collections are the operator's
        raise InvalidQuery(
            msg("a snapshot holds every tenant's collections: the operator takes it")
        )

    async def _call_each(self, name: str, arguments: dict[str, Any]) -> Any:
        """Apply a call about all collections to each collection of the tenant."""
        results: dict[str, Any] = {}
        for own in await self.call("collections"):
            if not (own in PUBLIC and name in _WRITES):
                one = await self.call(name, **{**arguments, "collection": own})
                results |= one or {}
        return results

    def _request(self, request: dict[str, Any]) -> dict[str, Any]:
        names = request["collections"]
        full = None if names is None else [self._full(n) for n in names]
        return {**request, "collections": full, "namespace": self._prefix}

    def _full(self, name: Any, *, write: bool = False) -> Any:
        if not isinstance(name, str):
            return name  # the index says what is wrong with it
        if self._prefix and name in PUBLIC:
            if write:
                raise InvalidQuery(
                    msg("the collection {name} is everybody's: it cannot be changed", name=name)
                )
            return name
        if name.startswith(MARK):
            raise InvalidQuery(msg("a collection cannot be called {name!r}", name=name[:80]))
        return self._prefix + name

    def _result(self, name: str, result: Any) -> Any:
        if name == "collections":
            return [self._own(n) for n in names_in(result, self._prefix)]
        if name in ("stats", "check"):
            return {self._own(n): result[n] for n in names_in(result, self._prefix)}
        if name == "search" and self._prefix:
            rows = [{**row, "collection": self._own(row["collection"])} for row in result["rows"]]
            return {"rows": rows, "notes": [self._own(note) for note in result["notes"]]}
        return result

    def _own(self, text: str) -> str:
        return text.replace(self._prefix, "") if self._prefix else text
