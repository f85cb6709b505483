"""Read pages: the main text of each, as Markdown, without what is around it.

HTML, PDF, plain text, Markdown, JSON, XML, CSV and Office documents. At most 20 URLs in one call;
one that cannot be read is named on standard error and does not stop the others. Exit status: 0
when a page was read, 1 when none could be, 2 when none of them is a web address.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kensaku.cli import _terminal as terminal
from kensaku.cli._addresses import check_url, fault_of
from kensaku.cli._client import client
from kensaku.cli._options import add_common
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Page

USAGE = "[options] URL …"
FORMATS = ("markdown", "text")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which pages, and how they are written."""
    parser.add_argument("urls", nargs="+", metavar="URL", help="with http:// or https://")
    add_format(parser)
    parser.add_argument(
        "--timeout", type=float, default=60.0, metavar="SECONDS", help="for all; 60 if unsaid"
    )
    add_common(parser)


def add_format(parser: argparse.ArgumentParser) -> None:
    """`--format`: what is printed of a page."""
    parser.add_argument(
        "--format", choices=FORMATS, default="markdown", metavar="FORMAT",
        help="how pages are written: markdown, text",
    )  # fmt: skip


async def run(args: argparse.Namespace) -> int:
    """Read them all."""
    if all(fault_of(url) for url in args.urls):
        check_url(args.urls[0])
    check_timeout(args.timeout)
    async with client(args) as k:
        done = await k.extract(args.urls, timeout=args.timeout)
    if args.json:
        terminal.show_json(done.to_dict())
    else:
        show_pages(done.results, args.format)
    for page in done.results:
        tell_notes(page)
    tell_failed(done.failed)
    return int(not done.results)


def check_timeout(seconds: float) -> None:
    """Raise for a number of seconds that is none."""
    from kensaku.errors import InvalidQuery

    if not 0 < seconds <= 3_600:
        raise InvalidQuery(f"timeout is {seconds:g}; it must be more than 0 and at most 3,600 s")


def show_pages(pages: Iterable[Page], form: str) -> None:
    """Pages on stdout: title, address and text of each."""
    parts = []
    for page in pages:
        head = f"{'# ' if form == 'markdown' else ''}{page.title}\n" if page.title else ""
        text = page.text if form == "text" else page.markdown or page.text
        text = text.strip().removeprefix(head).strip()  # the title stands over the address
        parts.append(f"{head}{one_line(page.url)}\n\n{text}".strip() + "\n")
    if parts:
        terminal.show("\n".join(parts))


def tell_notes(page: Page) -> None:
    """What is odd about a page: scanned, moved, made by scripts, or open to changes on its way."""
    notes = [*page.notes]
    if page.url.startswith("http://"):
        notes.append("read over http, where anybody on the way can change it; prefer https")
    for note in notes:
        terminal.tell(f"note: {page.url}: {note}")


def tell_failed(failed: Iterable[tuple[str, KensakuError]]) -> None:
    """One line for each page that could not be had."""
    for url, error in failed:
        terminal.tell(f"{url[:200]}: {error}")
