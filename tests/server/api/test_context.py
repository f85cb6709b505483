"""Context for a model, by the page's API."""

from __future__ import annotations

from kensaku.models import Hit
from tests.server.page_client import browsing


async def test_context_is_packed_for_a_model(make_server, upstream):
    """2,000 tokens of the best passages, unless other bounds are asked for, and never more."""
    upstream.answers("tavily", [Hit("https://a.example/", "A", "otters swim in rivers. " * 800)])
    upstream.answers("brave", [Hit("https://b.example/", "B", "otters live in burrows.")])
    server = await make_server("tavily", "brave")
    async with browsing(server.url) as page:
        made = await page.call("POST", "/api/context", {"q": "otters"})
        large = await page.call("POST", "/api/context", {"q": "otters", "max_tokens": 100_000})
        small = await page.call("POST", "/api/context", {"q": "otters", "max_tokens": 1})
        routed = await page.call("POST", "/api/context", {"q": "otters", "route": "brave"})
        for tokens in (0, 100_001, "5", 1.5, None):
            said = await page.call("POST", "/api/context", {"q": "otters", "max_tokens": tokens})
            assert page.status == 400
            assert "1 to 100,000" in said["error"]["message"]

    assert made["said"] == f"{made['tokens']:,} tokens"
    assert small["tokens"] <= 1 < made["tokens"] <= 2_000 < large["tokens"]
    assert [c["url"] for c in made["citations"]] == ["https://a.example/"]
    assert [c["url"] for c in routed["citations"]] == ["https://b.example/"]
