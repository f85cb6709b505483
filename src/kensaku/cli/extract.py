"""Read web pages and print the main text of each as Markdown.

HTML, PDF, plain text, Markdown, JSON, XML, CSV and Office documents; at most 20 URLs in one call.
--max-tokens prints the beginning of a page and reports where it goes on; --offset reads on there.
A page that cannot be read is reported on standard error; the others are still printed. Exit
status: 0 when a page was read, 1 when none could be, 2 when none of the URLs is a web address.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kensaku.answers.reading import check_portion, portion_of
from kensaku.cli._addresses import check_url, url_fault
from kensaku.cli._client import open_client
from kensaku.cli._options import add_common_options, add_private_option, load_settings
from kensaku.cli._terminal import error_text, print_json, print_message, print_result, t
from kensaku.errors import InvalidQuery
from kensaku.messages import msg
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from kensaku.errors import KensakuError
    from kensaku.models import Page

USAGE = "[options] URL …"
FORMATS = ("markdown", "text")
QUERY_TOKENS = 8_000  # for the passages about a query, unless --max-tokens says how many
NO_LIMIT = 100_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the URLs, the output format and the timeout."""
    parser.add_argument("urls", nargs="+", metavar="URL", help="http:// or https:// address")
    add_format_option(parser)
    parser.add_argument(
        "--query", metavar="TEXT", help="print only the passages of each page about this"
    )
    parser.add_argument(
        "--offset", type=int, default=0, metavar="N",
        help="read on in one page from this character of its text",
    )  # fmt: skip
    parser.add_argument(
        "--max-tokens", type=int, metavar="N",
        help=msg("print at most N tokens of all pages together (with --query: {most:,})",
                 most=QUERY_TOKENS),
    )  # fmt: skip
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
    check_portion(len(args.urls), args.query, args.offset, args.max_tokens)
    async with open_client(load_settings(args)) as k:
        extraction = await k.extract(args.urls, timeout=args.timeout)
    if args.query or args.offset or args.max_tokens:
        extraction = replace(extraction, results=_portions(extraction.results, args))
    if args.json:
        print_json(extraction.to_dict())
    else:
        print_pages(extraction.results, args.format)
    for page in extraction.results:
        print_notes(page)
    print_failed(extraction.failed)
    return int(not extraction.results)


def _portions(pages: Sequence[Page], args: argparse.Namespace) -> tuple[Page, ...]:
    """Return the pages with the text that was asked for; notes say where each goes on."""
    tokens = args.max_tokens or (QUERY_TOKENS if args.query else NO_LIMIT)
    return tuple(_portion(page, args, tokens // len(pages)) for page in pages)


def _portion(page: Page, args: argparse.Namespace, tokens: int) -> Page:
    if args.format == "text":
        page = replace(page, markdown="")
    shown = portion_of(page, query=args.query, offset=args.offset, max_tokens=tokens)
    notes = page.notes
    if shown.next_offset is not None:
        notes += (f"more of this page: --offset {shown.next_offset}",)
    elif args.offset and not shown.text:
        notes += (f"this page ends before offset {args.offset}",)
    return replace(page, text=shown.text, markdown=page.markdown and shown.text, notes=notes)


def check_timeout(seconds: float) -> None:
    """Raise `InvalidQuery` for a timeout out of bounds."""
    if not 0 < seconds <= 3_600:
        raise InvalidQuery(
            msg(
                "timeout is {seconds:g}; it must be more than 0 and at most 3,600 s",
                seconds=seconds,
            )
        )


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
        notes.append(msg("read over http, where anybody on the way can change it; prefer https"))
    for note in notes:
        print_message(t("note: {url}: {note}", url=page.url, note=t(note)))


def print_failed(failed: Iterable[tuple[str, KensakuError]]) -> None:
    """Print a line for each page that could not be read on stderr."""
    for url, error in failed:
        print_message(f"{url[:200]}: {error_text(error)}")
