"""What runs beside the use of an extra, all on loopback, each with the address that is its variable.

$VALKEY and $POSTGRESQL are the real servers. $QDRANT is not: no package brings that server, so it
is Qdrant's interface over the engine of its official client (`tests/index/qdrant_http.py`).
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

from tests.servers import postgresql_server, valkey_server

OTTER = "An otter holds the hand of another otter while it sleeps."


@contextmanager
def site() -> Iterator[str]:
    """Pages that show what was asked for; one is written by a script."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


_SCRIPT = """<div id="root"></div><script>
document.getElementById("root").innerHTML = "<p>" + "Written by a script. ".repeat(30) + "</p>"
</script>"""


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        encoding = ""
        if self.path in ("/br", "/zstd") and self.path[1:] in self.headers["Accept-Encoding"]:
            encoding = self.path[1:]
        said = {
            "/": "<p>The home of the manual. <a href='/docs/one'>one</a> <a href='/blog/two'>two</a>",
            "/docs/one": "<p>A page of the manual.",
            "/blog/two": "<p>A page of the blog.",
            "/br": f"<p>This page was sent with {encoding or 'no encoding'}.",
            "/zstd": f"<p>This page was sent with {encoding or 'no encoding'}.",
            "/signed": f"<p>This request was signed by {self.headers.get('Signature-Agent')}.",
            "/script": _SCRIPT,
        }.get(self.path)
        text = f"<html><title>Page {self.path}</title><body>{said}</body></html>"
        self.send_response(200 if said else 404)
        data = _ENCODERS[encoding](text.encode())
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


def _brotli(data: bytes) -> bytes:
    import brotli

    return bytes(brotli.compress(data))


def _zstandard(data: bytes) -> bytes:
    from backports import zstd

    return bytes(zstd.compress(data))


_ENCODERS: dict[str, Callable[[bytes], bytes]] = {"": bytes, "br": _brotli, "zstd": _zstandard}


@contextmanager
def corpus() -> Iterator[str]:
    """A folder with a Parquet file and a WARC file."""
    import pyarrow
    import pyarrow.parquet
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    with tempfile.TemporaryDirectory() as name:
        rows = {"url": ["https://a.example/parquet"], "text": [OTTER]}
        pyarrow.parquet.write_table(pyarrow.table(rows), f"{name}/docs.parquet")
        page = f"<html><title>Otters</title><body><p>In a page: {OTTER}</p></body></html>"
        with Path(name, "pages.warc.gz").open("wb") as file:
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            writer = WARCWriter(file, gzip=True)
            body = BytesIO(page.encode())
            writer.write_record(
                writer.create_warc_record(
                    "https://a.example/warc", "response", payload=body, http_headers=head
                )
            )
        yield name


@contextmanager
def valkey() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, valkey_server(Path(folder)) as url:
        yield url


@contextmanager
def postgresql() -> Iterator[str]:
    with postgresql_server() as server:
        yield server.get_uri()


@contextmanager
def qdrant() -> Iterator[str]:
    from tests.index.qdrant_http import QdrantServer

    with QdrantServer() as server:
        yield server.url


@contextmanager
def model() -> Iterator[str]:
    """A scripted model, at the base URL of OpenAI's clients."""
    from tests.adapters.model_server import ModelServer

    with ModelServer("web_search", {"query": "otter"}) as server:
        yield server.openai_url


BESIDE: dict[str, Callable[[], AbstractContextManager[str]]] = {
    "SITE": site,
    "CORPUS": corpus,
    "VALKEY": valkey,
    "POSTGRESQL": postgresql,
    "QDRANT": qdrant,
    "MODEL": model,
}
