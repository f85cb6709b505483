"""Templates → HTML. Everything is escaped unless a filter here has made it safe."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku import __version__
from kensaku.locale import languages
from kensaku.messages import msg
from kensaku.models.confidence import ADVICE

if TYPE_CHECKING:
    import jinja2

    from kensaku.server.page.request import PageRequest

HERE = Path(__file__).parent
VIEWS = {
    "search": msg("Search"),
    "chat": msg("Chat"),
    "collections": msg("Collections"),
    "compare": msg("Compare"),
    "providers": msg("Providers"),
    "usage": msg("Usage"),
    "jobs": msg("Jobs"),
    "keys": msg("Keys"),
}
ADDRESSES = {"search": "/", "chat": "/chat"}  # the others are below /page
ADMIN_VIEWS = frozenset({"keys"})
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@cache
def environment() -> jinja2.Environment:
    """The templates, compiled as they are used."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(page: PageRequest, template: str, **values: Any) -> str:
    """Render a template, a whole page or a part of one."""
    signed_in = page.viewer.principal
    return environment().get_template(template).render(
        t=page.t,
        root=page.root,
        language=page.t.language,
        languages=languages(),
        titles=VIEWS,
        advice=ADVICE,
        theme=page.theme,
        token=page.viewer.token,
        principal=signed_in,
        views=[v for v in VIEWS if v not in ADMIN_VIEWS or (signed_in and signed_in.admin)],
        version=__version__,
        path_of=lambda view: page.root + ADDRESSES.get(view, f"/page/{view}"),
        **values,
    )  # fmt: skip
