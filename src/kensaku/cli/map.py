"""List the URLs of a site, one per line, without extracting the pages.

Exit status: 0 when there are URLs, 1 when the site could not be read, 2 wrong usage.
"""

from __future__ import annotations

import argparse

from kensaku.cli._client import open_client
from kensaku.cli._crawl_options import add_crawl_options, crawl_options
from kensaku.cli._options import add_common_options, add_private_option, load_settings
from kensaku.cli._terminal import print_json, print_message, print_result, t
from kensaku.cli.extract import print_failed
from kensaku.text.clean import one_line

USAGE = "[options] URL"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the site and its limits."""
    add_crawl_options(parser)
    add_private_option(parser)
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Map the site and print its URLs."""
    options = crawl_options(args)
    async with open_client(load_settings(args)) as k:
        site = await k.map(args.url, **options)
    failed = {url for url, _ in site.failed}
    readable = any(url not in failed for url in site.urls)
    if args.json:
        print_json(site.to_dict())
    elif readable:
        print_result("\n".join(map(one_line, site.urls)))
    print_failed(site.failed)
    for note in site.notes:
        print_message(t("note: {note}", note=t(note)))
    return int(not readable)
