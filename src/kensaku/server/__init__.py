"""The server: the whole core over HTTP, for any client, in any language.

`kensaku serve` runs it; `app()` is an ASGI application for anybody's own:

    app.mount("/search", kensaku.server.app())
"""

from kensaku._lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kensaku.server.asgi import app as app

__getattr__, __dir__, __all__ = attach(__name__, asgi=["app"])
