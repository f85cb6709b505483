"""Read web pages and print the main text of each as Markdown.

HTML, PDF, plain text, Markdown, JSON, XML, CSV and Office documents; at most 20 URLs in one call.
A page that cannot be read is reported on standard error; the others are still printed. Exit
status: 0 when a page was read, 1 when none could be, 2 when none of the URLs is a web address.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kensaku.cli._addresses import check_url, url_fault
from kensaku.cli._client import open_client
from kensaku.cli._options import add_common_options, add_private_option, load_settings
from kensaku.cli._terminal import print_json, print_message, print_result
from kensaku.errors import InvalidQuery
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Page

USAGE = "[options] URL …"
FORMATS = ("markdown", "text")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the URLs, the output format and the timeout."""
    parser.add_argument("urls", nargs="+", metavar="URL", help="http:// or https:// address")
    add_format_option(parser)
    parser.add_argument(
        "--timeout", type=float, default=60.0, metavar="SECONDS",
        help="time limit for all pages together (default 60)",
    )  # fmt: skip
    add_private_option(parser)
    add_common_options(parser)


def add_format_option(parser: argparse.ArgumentParser) -> None:
    """Add `--format`."""
    parser.add_argument(
        "--format", choices=FORMATS, default="markdown", metavar="FORMAT",
        help="output format of pages: markdown, text",
    )  # fmt: skip


async def run(args: argparse.Namespace) -> int:
    """Read all pages and print them."""
    if all(url_fault(url) for url in args.urls):
        check_url(args.urls[0])
    check_timeout(args.timeout)
    async with open_client(load_settings(args)) as k:
        extraction = await k.extract(args.urls, timeout=args.timeout)
    if args.json:
        print_json(extraction.to_dict())
    else:
        print_pages(extraction.results, args.format)
    for page in extraction.results:
        print_notes(page)
    print_failed(extraction.failed)
    return int(not extraction.results)


def check_timeout(seconds: float) -> None:
    """Raise `InvalidQuery` for a timeout out of bounds."""
    if not 0 < seconds <= 3_600:
        raise InvalidQuery(f"timeout is {seconds:g}; it must be more than 0 and at most 3,600 s")


def print_pages(pages: Iterable[Page], form: str) -> None:
    """Print title, URL and text of each page on stdout."""
    parts = []
    for page in pages:
        head = f"{'# ' if form == 'markdown' else ''}{page.title}\n" if page.title else ""
        text = page.text if form == "text" else page.markdown or page.text
        text = text.strip().removeprefix(head).strip()  # the title is printed above the URL
        parts.append(f"{head}{one_line(page.url)}\n\n{text}".strip() + "\n")
    if parts:
        print_result("\n".join(parts))


def print_notes(page: Page) -> None:
    """Print the notes of a page on stderr, and that plain HTTP can be tampered with."""
    notes = [*page.notes]
    if page.url.startswith("http://"):
        notes.append("read over http, where anybody on the way can change it; prefer https")
    for note in notes:
        print_message(f"note: {page.url}: {note}")


def print_failed(failed: Iterable[tuple[str, KensakuError]]) -> None:
    """Print a line for each page that could not be read on stderr."""
    for url, error in failed:
        print_message(f"{url[:200]}: {error}")
