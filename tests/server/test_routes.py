"""A request finds the same endpoint by its path alone as through all routes."""

from __future__ import annotations

from starlette.routing import Match, Route

import kensaku.server
from kensaku import Settings
from kensaku.server.endpoint import WireEndpoint


def test_an_exact_path_leads_to_the_first_route_that_matches(machine):
    """Congruence with Starlette: its first whole match is the endpoint of the table."""
    app = kensaku.server.app(Settings.load(environ={}, home=machine))
    assert ("POST", "/search") in app._exact
    for (method, path), endpoint in app._exact.items():
        scope = {"type": "http", "method": method, "path": path, "headers": []}
        matches = ((r.matches(scope)[0], r) for r in app._app.routes)
        first = next(r for match, r in matches if match is Match.FULL)
        assert isinstance(first, Route)
        assert first.endpoint is endpoint
        assert isinstance(endpoint, WireEndpoint)
