"""The Wayback Machine: the newest snapshot of a page, as it was sent then."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from kensaku.fetch.rungs.base import Ask, Copy, Service, no_copy
from kensaku.foreign_json import decode_json

if TYPE_CHECKING:
    from yarl import URL

    from kensaku.fetch.transport import PageResponse

SNAPSHOTS = "https://web.archive.org"
_STAMP = re.compile(r"[12]\d{13}", re.ASCII)
_SNAPSHOT = re.compile(r"/web/([12]\d{13})id_/", re.ASCII)
_ORIGINAL = "x-archive-orig-"  # before the headers with which the page was sent
_KEPT = ("x-robots-tag", "tdm-reservation", "content-signal")


class Archive(Service):
    name = "archive"
    url = "https://archive.org"
    docs = "https://archive.org/help/wayback_api.php"
    rung = "archive"

    def ask(self, url: URL) -> Ask | None:
        snapshots = SNAPSHOTS if self.base_url == self.url else self.base_url

        def read_available(reply: PageResponse) -> Ask:
            closest = decode_json(reply.body)["archived_snapshots"].get("closest") or {}
            stamp = str(closest.get("timestamp", ""))
            good = closest.get("available") is True and str(closest.get("status")) == "200"
            if not good or not _STAMP.fullmatch(stamp):
                raise no_copy()
            return Ask(f"{snapshots}/web/{stamp}id_/{url}", read_snapshot)

        def read_snapshot(reply: PageResponse) -> Copy:
            stamp = _SNAPSHOT.search(reply.url)  # it may lead to another one
            if stamp is None:
                raise no_copy()
            day = datetime.strptime(stamp[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC).date()
            return Copy(
                reply.body,
                reply.headers.get("content-type", ""),
                reply.url.replace(f"{stamp[1]}id_", stamp[1], 1),
                as_of=day.isoformat(),
                headers={
                    n: v for n in _KEPT if (v := reply.headers.get(_ORIGINAL + n)) is not None
                },
            )

        available = f"{self.base_url}/wayback/available?url={quote(str(url), safe='')}"
        return Ask(available, read_available, is_api=True)
