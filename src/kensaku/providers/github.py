"""GitHub: repositories, issues with what people wrote about an error, and code."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from kensaku.errors import ProviderError, RateLimited
from kensaku.providers._filters import days
from kensaku.providers.base import Provider, Reply, Request, member, rows, text

if TYPE_CHECKING:
    from kensaku.models import Hit, Query


class GitHub(Provider):
    name = "github"
    label = "GitHub repositories"
    docs = "https://docs.github.com/en/rest/search/search"
    known_by = "recorded"
    known_source = "PyGithub/PyGithub/tests/ReplayData/Search.testSearchRepos.txt"
    url = "https://api.github.com"
    key_variable = "GITHUB_TOKEN"
    key_aliases = ("GH_TOKEN",)
    keyless = True
    pooled = True
    specialist = True
    knows = frozenset({"code"})
    max_query_chars = 256
    max_results = 100
    filters = frozenset({"dates"})
    family = "github"
    rate = "30/m"
    keyless_rate: ClassVar[str | None] = "10/m"
    rate_group = "github"  # all of its searches are counted together, except those for code
    markup = False

    path = "/search/repositories"
    accepts = "application/vnd.github+json"
    qualifiers = ""
    dated_by = "pushed"

    def request(self, query: Query, key: str) -> Request:
        first, last = days(query)
        dated = self.dated_by and (first or last)
        span = f"{self.dated_by}:{first or '*'}..{last or '*'}" if dated else ""
        headers = {"Accept": self.accepts, "X-GitHub-Api-Version": "2022-11-28"}
        return Request(
            url=self.base_url + self.path,
            params={
                "q": " ".join(filter(None, (query.text, self.qualifiers, span))),
                "per_page": min(query.limit, self.max_results),
            },
            headers=headers | ({"Authorization": f"Bearer {key}"} if key else {}),
        )

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("html_url"),
                r.get("full_name"),
                text(r.get("description"), r.get("topics")),
                published=r.get("pushed_at"),
                author=member(r, "owner", "login"),
            )
            for r in rows(body["items"])
        ]

    def failure(self, reply: Reply) -> ProviderError | None:
        # Both of its limits come with 403 or 429; a refused token has a rate left.
        told = reply.headers
        spent = told.get("x-ratelimit-remaining") == "0" or "retry-after" in told
        if reply.status not in (403, 429) or reply.is_html or not spent:
            return super().failure(reply)
        error = self.refusal(reply, RateLimited)
        with suppress(KeyError, ValueError):
            if error.retry_after is None:
                reset = float(told["x-ratelimit-reset"]) - datetime.now(UTC).timestamp()
                error.retry_after = min(max(0.0, reset), 3_600.0)
        return error


class GitHubIssues(GitHub):
    name = "github_issues"
    label = "GitHub issues"
    known_source = "PyGithub/PyGithub/tests/ReplayData/Search.testSearchIssues.txt"
    knows = frozenset({"errors"})

    path = "/search/issues"
    qualifiers = "is:issue"  # without it, or `is:pull-request`, the search is refused
    dated_by = "created"

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("html_url"),
                r.get("title"),
                r.get("body"),
                published=r.get("created_at"),
                author=member(r, "user", "login"),
            )
            for r in rows(body["items"])
        ]


class GitHubCode(GitHub):
    name = "github_code"
    label = "GitHub code"
    known_source = "PyGithub/PyGithub/tests/ReplayData/Search.testSearchCode.txt"
    keyless = False  # code is only searched for those who sign in
    pooled = False
    filters = frozenset()
    rate = "10/m"
    keyless_rate = None
    rate_group = "github_code"

    path = "/search/code"
    accepts = "application/vnd.github.text-match+json"  # with the lines that match
    dated_by = ""

    def hits(self, body: Any) -> list[Hit]:
        return [
            self.hit(
                r.get("html_url"),
                text(member(r, "repository", "full_name"), r.get("path")),
                text([member(m, "fragment") for m in _matches(r)]),
                author=member(r, "repository", "owner", "login"),
            )
            for r in rows(body["items"])
        ]


def _matches(row: dict[str, Any]) -> list[Any]:
    found = row.get("text_matches")
    return found if isinstance(found, list) else []
