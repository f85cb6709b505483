"""Drive one client: `python -m tests.providers.sdk.drive exa FOLDER` writes FOLDER/exa.json.

the client → FakeUpstream with our sample → what arrived, what the client read
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kensaku.testing import FakeUpstream, ReceivedRequest, load_sample

from .reading import choices, fingerprint, key_places, replies, sent


def drive(name: str) -> dict[str, Any]:
    """Ask once for each reply of the sample; return what the client sent and read."""
    client, sample = import_module(f"{__package__}.{name}"), load_sample(name)
    roots = getattr(client, "ROOTS", (name,))  # the first parts of its paths
    read = []
    with FakeUpstream.in_thread(dict.fromkeys(roots, sample)) as up:
        base_url = up.base_url(name) if name in roots else up.url
        for reply in replies(sample):
            for root in roots:
                up.answers(root, body=reply.body)
            rows = client.search(base_url, reply)
            read.append({"of": fingerprint(reply), "rows": [asdict(row) for row in rows]})
        asked = [request for request in up.requests if request.provider in roots]
        more = {}
        if hasattr(client, "search_keyless"):
            client.search_keyless(base_url)
            more["keyless"] = keyless(up.requests[-1], name)
    if hasattr(client, "CHOICES"):
        more["choices"] = {name: choices(kind) for name, kind in client.CHOICES.items()}
    return {
        "client": client.DISTRIBUTION,
        "version": version(client.DISTRIBUTION),
        "key": sorted({place for request in asked for place in key_places(request)}),
        "sent": sent(
            (f"{r.method} {r.path.removeprefix(f'/{name}')}", r.params, r.json) for r in asked
        ),
        **more,
        "read": read,
    }


def keyless(request: ReceivedRequest, name: str) -> dict[str, Any]:
    """Where a search without a key goes, and the headers of the service's own."""
    return {
        "endpoint": f"{request.method} {request.path.removeprefix(f'/{name}')}",
        "headers": sorted(n for n in request.headers if n.startswith(("x-", "authorization"))),
    }


def main(name: str, folder: str) -> None:
    text = json.dumps(drive(name), ensure_ascii=False, indent=1)
    (Path(folder) / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
