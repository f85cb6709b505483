"""A report as one HTML page that loads nothing: text, sources, and the passages they rest on.

Citations lead to their passages. The page has no script, and its policy lets it load none.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from kensaku.errors import MissingExtra
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.text.languages import guess_language

if TYPE_CHECKING:
    from kensaku.answers.evidence import Reference
    from kensaku.answers.report.report import Report

MAX_PASSAGES = 3  # of one source
_MARK = re.compile(r"\[(\d{1,3})\]")
_PAGE = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem;
  overflow-wrap: anywhere; }}
h1 {{ font-size: 1.5rem; line-height: 1.3; }}
blockquote {{ margin: .5rem 0; padding-left: 1rem; border-left: 3px solid #8888; }}
.about {{ opacity: .75; font-size: .875rem; }}
:target {{ outline: 2px solid #88f8; }}
</style>
<main>
<h1>{title}</h1>
{body}
<h2>{passages}</h2>
{sources}
<p class="about">{about}</p>
</main>
</html>
"""


def to_html(report: Report) -> str:
    """Return a report as a page. Raises `MissingExtra` without the packages for Markdown."""
    try:
        from kensaku.text.markdown import to_html as render

        body = render(report.text or "")
    except ImportError:
        raise MissingExtra(
            msg("{first} or {second}", first="markdown-it-py", second="nh3"), "server"
        ) from None
    known = {str(source.n) for source in report.sources}
    linked = _MARK.sub(lambda m: f'<a href="#s{m[1]}">{m[0]}</a>' if m[1] in known else m[0], body)
    return _PAGE.format(
        language=guess_language(report.input),
        title=escape(" ".join(report.input.split())[:200]),
        body=linked,
        passages=escape(translator(guess_language(report.input))("Passages")),
        sources="\n".join(map(_source, report.sources)),
        about=escape(f"Kensaku · {report.written_by} · {report.outcome}"),
    )


def _source(source: Reference) -> str:
    """Return a source with its best passages; only addresses of the web become links."""
    title = escape(source.title or source.url)
    if source.url.startswith(("http://", "https://")):
        title = f'<a href="{escape(source.url)}" rel="noreferrer noopener nofollow">{title}</a>'
    quotes = "".join(
        f"<blockquote>{escape(p.text)}</blockquote>" for p in source.passages[:MAX_PASSAGES]
    )
    return f'<section id="s{source.n}"><p>[{source.n}] {title}</p>{quotes}</section>'
