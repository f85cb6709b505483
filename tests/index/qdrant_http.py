"""Qdrant's REST interface on loopback, over the engine that `qdrant-client` has inside.

    with QdrantServer() as server:
        QdrantClient(url=server.url)        the official client, as any application uses it
        server.requests                     what was sent: method and path
        server.bodies                       … and the JSON of each
        server.keys                         … and the key of each

Requests are read, and replies written, with the models of the official client. No package brings
the real server; this is the nearest thing that speaks HTTP.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from pydantic import TypeAdapter
from qdrant_client import QdrantClient, models

Route = Callable[[QdrantClient, str, Any], Any]


def _create(local: QdrantClient, name: str, body: Any) -> bool:
    asked = models.CreateCollection.model_validate(body)
    return local.create_collection(
        name, vectors_config=asked.vectors or {}, sparse_vectors_config=asked.sparse_vectors
    )


def _upsert(local: QdrantClient, name: str, body: Any) -> Any:
    points = TypeAdapter(list[models.PointStruct]).validate_python(body["points"])
    return local.upsert(name, points)


def _query(local: QdrantClient, name: str, body: Any) -> Any:
    asked = models.QueryRequest.model_validate(body)
    return local.query_points(
        name, query=asked.query, using=asked.using, limit=asked.limit or 10,
        query_filter=asked.filter, with_payload=bool(asked.with_payload),
    )  # fmt: skip


def _retrieve(local: QdrantClient, name: str, body: Any) -> Any:
    asked = models.PointRequest.model_validate(body)
    return local.retrieve(name, asked.ids, with_payload=asked.with_payload or False)


ROUTES: list[tuple[str, str, Route]] = [
    ("GET", r"/collections", lambda local, *_: local.get_collections()),
    ("GET", r"/collections/([^/]+)", lambda local, name, _: local.get_collection(name)),
    ("PUT", r"/collections/([^/]+)", _create),
    ("DELETE", r"/collections/([^/]+)", lambda local, name, _: local.delete_collection(name)),
    ("PUT", r"/collections/([^/]+)/index", lambda *_: {"operation_id": 0, "status": "completed"}),
    ("PUT", r"/collections/([^/]+)/points", _upsert),
    ("POST", r"/collections/([^/]+)/points", _retrieve),
    ("POST", r"/collections/([^/]+)/points/query", _query),
    (
        "POST",
        r"/collections/([^/]+)/points/count",
        lambda local, name, body: local.count(
            name, count_filter=models.CountRequest.model_validate(body).filter
        ),
    ),
]


class QdrantServer:
    """A server that forgets everything when it is closed."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []
        self.bodies: list[Any] = []
        self.keys: list[str | None] = []
        self._local = QdrantClient(":memory:")
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._local.close()

    def answer(self, method: str, target: str, body: Any) -> tuple[int, Any]:
        path = unquote(urlsplit(target).path)
        self.requests.append((method, path))
        self.bodies.append(body)
        for wanted, pattern, route in ROUTES:
            if method == wanted and (found := re.fullmatch(pattern, path)):
                with self._lock:
                    try:
                        result = route(self._local, (*found.groups(), "")[0], body)
                    except ValueError as error:  # what the engine inside says for "not found"
                        return 404, {"status": {"error": str(error)}, "time": 0}
                return 200, {"result": _plain(result), "status": "ok", "time": 0}
        return 404, {"status": {"error": f"{method} {path} is not spoken here"}, "time": 0}

    def _handler(server: QdrantServer) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _serve(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(size) or b"null")
                server.keys.append(self.headers.get("api-key"))
                status, reply = server.answer(self.command, self.path, body)
                data = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_PUT = do_POST = do_DELETE = _serve

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value
