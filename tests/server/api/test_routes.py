"""The table of the page's API."""

from __future__ import annotations

from kensaku.server.api.routes import routes
from kensaku.server.http import MAX_BODY

# What a path does, whether for admins alone, how many searches it counts as; then what is unusual.
TABLE = [
    ("POST /api/search", "search.stream", False, 1, {}),
    ("GET /api/chat", "chat.listed", False, 0, {}),
    ("POST /api/chat", "chat.start", False, 1, {}),
    ("GET /api/chat/{thread}", "chat.read", False, 0, {}),
    ("POST /api/chat/{thread}", "chat.add", False, 1, {}),
    ("DELETE /api/chat/{thread}", "chat.delete", False, 0, {}),
    ("GET /api/chat/{thread}/events", "chat.follow", False, 0, {"admitted": False}),
    ("POST /api/chat/{thread}/reply", "chat.reply", False, 0, {}),
    ("POST /api/chat/{thread}/cancel", "chat.cancel", False, 0, {}),
    ("POST /api/pages", "pages.read", False, 0, {}),
    ("POST /api/context", "context.make", False, 1, {}),
    ("GET /api/collections", "collections.listed", False, 0, {}),
    (
        "POST /api/collections/{name}/files",
        "collections.add_file",
        False,
        0,
        {"raw": True, "max_body": 20 * 1024 * 1024},
    ),
    ("POST /api/collections/{name}/documents", "collections.add_page", False, 0, {}),
    ("DELETE /api/collections/{name}/documents", "collections.delete_page", False, 0, {}),
    ("DELETE /api/collections/{name}", "collections.delete", False, 0, {}),
    ("POST /api/compare", "compare.made", False, 0, {}),
    ("GET /api/providers", "providers.listed", False, 0, {}),
    ("POST /api/providers/{name}/reset", "providers.reset", True, 0, {}),
    ("GET /api/usage", "usage.listed", False, 0, {}),
    ("GET /api/keys", "keys.listed", True, 0, {}),
    ("POST /api/keys", "keys.create", True, 0, {}),
    ("DELETE /api/keys/{id}", "keys.revoke", True, 0, {}),
    ("GET /api/jobs", "jobs.listed", False, 0, {}),
    ("POST /api/jobs/watch", "jobs.watch", False, 0, {"admitted": False}),
    ("POST /api/jobs/{id}/cancel", "jobs.cancel", False, 0, {}),
    ("POST /api/jobs/{id}/resume", "jobs.resume", False, 0, {}),
    ("POST /api/collections/{name}/sites", "jobs.crawl", False, 0, {}),
]


def test_every_endpoint_of_the_page():
    """Who may call it, and what it counts as; changes are never a GET, which any site can send."""
    usual = {"admitted": True, "raw": False, "max_body": MAX_BODY}
    found = [
        (
            f"{e.method} {e.path}",
            f"{e.handler.__module__.rpartition('.')[2]}.{e.handler.__name__}",
            e.admin,
            e.searches,
            {n: getattr(e, n) for n, value in usual.items() if getattr(e, n) != value},
        )
        for e in (route.endpoint._endpoint for route in routes(None))
    ]

    assert found == TABLE
    assert MAX_BODY == 4 * 1024 * 1024


def test_each_is_a_route_of_its_method():
    """Starlette adds HEAD to GET."""
    made = [(sorted(set(r.methods) - {"HEAD"}), r.path) for r in routes(None)]

    assert made == [([at.split()[0]], at.split()[1]) for at, *_ in TABLE]
