"""The wires whose endpoints the core performs: read and write are pure, so they are tested alone."""

from __future__ import annotations

from kensaku.server.wires import load_wires
from kensaku.server.wires.base import Crawl, Endpoint, Extract, Map, Parse, Scrape, Search, Wire


def performed(wire: Wire) -> list[Endpoint]:
    """The endpoints of a wire that have no work of their own."""
    return [endpoint for endpoint in wire.endpoints() if endpoint.do is None]


WIRES: dict[str, Wire] = {wire.name: wire for wire in load_wires() if performed(wire)}
ENDPOINTS = [endpoint for wire in WIRES.values() for endpoint in performed(wire)]
KINDS = {
    Search: "search",
    Extract: "extract",
    Scrape: "scrape",
    Parse: "extract",
    Crawl: "crawl",
    Map: "map",
}
