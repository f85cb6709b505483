"""How a query leaves this machine: as it is, without what should not leave, or not at all.

to_send(query, route, …) → Outbound(query, refused)     scrub.py says what is in the query
check_egress(provider, …) → `NotAsked` when its host may not be connected to
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kensaku.errors import NotAsked
from kensaku.messages import msg
from kensaku.providers import provider_class
from kensaku.search.scrub import QueryWithheld, scrub
from kensaku.transport.egress import REMEDY

if TYPE_CHECKING:
    from kensaku.models import Query
    from kensaku.providers.base import Provider
    from kensaku.resources import Resources
    from kensaku.search.route import Route
    from kensaku.transport.egress import Egress


@dataclass(frozen=True, slots=True)
class Outbound:
    """What providers on the web get."""

    query: Query | None = None  # None: the query as it is
    note: str = ""
    refused: str = ""  # why none of them is asked

    def to(self, name: str, query: Query) -> Query:
        """Return the query to send to a provider. Raises `NotAsked`."""
        if self.refused:
            remedy = msg(
                "reword the query; the setting scrub.action says what happens to such queries"
            )
            raise NotAsked(name, self.refused, remedy=remedy)
        return query if self.query is None else replace(query, text=self.query.text)


AS_IT_IS = Outbound()


def to_send(
    query: Query, route: Route, resources: Resources, wanted: bool | None = None
) -> Outbound:
    """Look for what should not leave in the query. Raises `QueryWithheld` when asking is due.

    `wanted`: whether the caller wants that removed; None: the settings decide.
    """
    settings = resources.settings
    if wanted is False or not settings.scrub_kinds:
        return AS_IT_IS
    found = scrub(query.text, settings.scrub_kinds, resources.settings.keys)
    if not found.found or not any(provider_class(name).is_web for name in route.names):
        return AS_IT_IS
    action = "redact" if wanted else settings.scrub_action
    if action == "ask":
        raise QueryWithheld(
            msg("the query holds {what}; nothing was sent", what=found.what),
            remedy=msg("send it without (scrub=True), or as it is (scrub=False)"),
        )
    if action == "block" or not found.text:
        return Outbound(refused=msg("the query holds {what}, and stays here", what=found.what))
    note = msg("{what} was removed from the query before it was sent", what=found.what)
    return Outbound(replace(query, text=found.text), note)


def check_egress(provider: Provider, egress: Egress) -> None:
    """Raise `NotAsked` when the provider's address may not be connected to, as far as known."""
    if egress.is_open:
        return
    if provider.runs_program and not egress.public:
        why = msg("egress does not allow programs, which may connect to anything")
        raise NotAsked(provider.name, why, remedy=REMEDY)
    if not provider.base_url:
        return
    host = urlsplit(provider.base_url).hostname or ""
    allowed = egress.allows_name(host)
    if allowed is None and provider.base_url == provider.url:  # its vendor's is a public one
        allowed = egress.public
    if allowed is False:
        raise NotAsked(provider.name, msg("egress does not allow {host}", host=host), remedy=REMEDY)
