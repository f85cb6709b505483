"""GitHub: issues and pull requests with their comments, by the API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kensaku.fetch.rungs._thread import Post, by, thread
from kensaku.fetch.rungs.base import Ask, Copy, Service
from kensaku.fetch.rungs.github import HOSTS, REPOSITORY
from kensaku.foreign_json import decode_json

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.fetch.transport import PageResponse

_ISSUE = re.compile(REPOSITORY + r"/(?:issues|pull)/(\d{1,9})(?:/.*)?", re.ASCII)
# As HTML, in which GitHub has escaped what people do not see in the Markdown.
_HEADERS = {"Accept": "application/vnd.github.html+json", "X-GitHub-Api-Version": "2022-11-28"}


class GitHubIssues(Service):
    name = "github_issues"
    url = "https://api.github.com"
    docs = "https://docs.github.com/en/rest/issues/issues"

    def ask(self, url: URL) -> Ask | None:
        issue = _ISSUE.fullmatch(url.raw_path)
        if url.host not in HOSTS or issue is None:
            return None
        address = f"{self.base_url}/repos/{issue[1]}/{issue[2]}/issues/{issue[3]}"

        def read_issue(reply: PageResponse) -> Ask:
            found = decode_json(reply.body)
            title = by(f"{found['title']} #{found['number']}", found.get("state"))
            post = _post(found)

            def read_comments(more: PageResponse) -> Copy:
                posts = [post, *map(_post, decode_json(more.body))]
                return Copy(thread(title, posts), "text/html", reply.url)

            return Ask(f"{address}/comments?per_page=100", read_comments, _HEADERS, is_api=True)

        return Ask(address, read_issue, _HEADERS, is_api=True)


def _post(item: Mapping[str, Any]) -> Post:
    name = (item.get("user") or {}).get("login")
    return Post(by(name, str(item.get("created_at") or "")[:10]), str(item.get("body_html") or ""))
