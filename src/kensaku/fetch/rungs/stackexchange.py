"""Stack Overflow and the other sites of Stack Exchange: a question with its answers, by the API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from html import unescape
from typing import TYPE_CHECKING, Any

from kensaku.fetch.rungs._thread import Post, by, thread
from kensaku.fetch.rungs.base import Ask, Copy, Service, no_copy
from kensaku.foreign_json import decode_json

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.fetch.transport import PageResponse

_SITES = {
    "stackoverflow.com": "stackoverflow", "superuser.com": "superuser",
    "serverfault.com": "serverfault", "askubuntu.com": "askubuntu", "stackapps.com": "stackapps",
    "mathoverflow.net": "mathoverflow.net",
}  # fmt: skip
_NETWORK = re.compile(r"([a-z0-9-]{1,40})\.stackexchange\.com")
_LOCAL = re.compile(r"((?:es|ja|pt|ru)\.stackoverflow)\.com")
_QUESTION = re.compile(r"/(?:questions|q)/(\d{1,12})(?:/.*)?")


class StackExchange(Service):
    name = "stackexchange"
    url = "https://api.stackexchange.com"
    docs = "https://api.stackexchange.com/docs/questions-by-ids"

    def ask(self, url: URL) -> Ask | None:
        host = (url.host or "").removeprefix("www.")
        site = _NETWORK.fullmatch(host) or _LOCAL.fullmatch(host)
        name = site[1] if site else _SITES.get(host)
        question = _QUESTION.fullmatch(url.path)
        if name is None or question is None:
            return None
        address = f"{self.base_url}/2.3/questions/{question[1]}"
        asked = f"site={name}&filter=withbody"
        answers = f"{address}/answers?{asked}&sort=votes&order=desc&pagesize=100"

        def read_question(reply: PageResponse) -> Ask:
            items = decode_json(reply.body)["items"]
            if not items:
                raise no_copy()
            title, post = unescape(str(items[0]["title"])), _post(items[0])

            def read_answers(more: PageResponse) -> Copy:
                posts = [post, *(_post(item) for item in decode_json(more.body)["items"])]
                return Copy(thread(title, posts), "text/html", reply.url)

            return Ask(answers, read_answers, is_api=True)

        return Ask(f"{address}?{asked}", read_question, is_api=True)


def _post(item: Mapping[str, Any]) -> Post:
    name = unescape(str(item.get("owner", {}).get("display_name", "")))
    day = datetime.fromtimestamp(int(item["creation_date"]), UTC).date()
    accepted = "accepted" if item.get("is_accepted") is True else ""
    return Post(by(name, day, f"score {int(item['score'])}", accepted), str(item["body"]))
