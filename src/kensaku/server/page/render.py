"""Templates → HTML. Everything is escaped unless a filter here has made it safe."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku import __version__
from kensaku.locale import languages
from kensaku.models.confidence import ADVICE
from kensaku.server.auth import ANYONE, Principal
from kensaku.server.page.numbers import FILTERS
from kensaku.server.page.tabs import ADMIN_TABS, TABS, TITLES

if TYPE_CHECKING:
    import jinja2

    from kensaku.server.page.request import PageRequest

HERE = Path(__file__).parent
FOLDERS = (HERE / "static", *(HERE / name for name in TABS))  # of scripts and styles
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

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([HERE / "templates", *(HERE / name for name in TABS)]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= FILTERS
    return made


def _sees_keys(principal: Principal | None) -> bool:
    """Whether to offer what is for admins; to anyone, while the token opens it."""
    return principal is not None and (principal.admin or principal is ANYONE)


def render(page: PageRequest, template: str, **values: Any) -> str:
    """Render a template, a whole page or a part of one."""
    signed_in = page.viewer.principal
    return environment().get_template(template).render(
        t=page.t,
        root=page.root,
        language=page.t.language,
        languages=languages(),
        titles=TITLES,
        advice=ADVICE,
        theme=page.theme,
        token=page.viewer.token,
        principal=signed_in,
        views=[v for v in TABS if v not in ADMIN_TABS or _sees_keys(signed_in)],
        version=__version__,
        path_of=lambda view: page.root + TABS[view],
        **values,
    )  # fmt: skip
