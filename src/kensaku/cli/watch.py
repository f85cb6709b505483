"""Repeat a saved search and print only results that are new since the last time.

The first run saves the query with its options and prints everything. Suitable for cron. Exit
status: 0 searched, with or without new results; 1 no provider could search; 2 wrong usage.
"""

from __future__ import annotations

import argparse

from kensaku.cli import _notices as notices
from kensaku.cli._client import open_client
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._query_options import add_query_options, query_fields, query_text, search_options
from kensaku.cli._terminal import print_json, print_message, print_result, t
from kensaku.cli._waiting import waiting
from kensaku.models import Outcome
from kensaku.search.watch import Watches
from kensaku.text.clean import one_line

USAGE = "[options] WORD … | --list | --remove WORD …"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the query with its options, or what to do with saved ones."""
    add_query_options(parser)
    for action in parser._actions:
        if action.dest == "query":
            action.nargs = "*"
    parser.add_argument("--list", action="store_true", help="list the saved queries")
    parser.add_argument("--remove", action="store_true", help="remove this saved query")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Run a saved query, list them, or remove one."""
    settings = load_settings(args)
    watches = Watches(settings.home, settings.tenant)
    if args.list:
        rows = [{"query": q, "last": at.isoformat() if at else ""} for q, at in watches.list()]
        if args.json:
            print_json(rows)
        else:
            print_result("\n".join(f"{r['last']:32} {one_line(r['query'])}" for r in rows))
        return 0
    if args.remove:
        watches.remove(query_text(args))
        return 0
    async with open_client(settings) as k:
        notice = notices.KeylessNotice(k, args.route)
        notice.print_before()
        async with waiting():
            news = await k.watch(query_text(args), **query_fields(args), **search_options(args))
    notice.print_after(news.response.attempts)
    if args.json:
        since = news.since and news.since.isoformat()
        hits = [hit.to_dict() for hit in news.new]
        print_json({"query": news.query, "since": since, "outcome": news.outcome, "new": hits})
    else:
        print_result("\n\n".join(_entry(hit.title, hit.url, hit.content) for hit in news.new))
    response = news.response
    notices.print_notices(response.outcome, response.attempts, response.notes)
    if response.outcome is not Outcome.UNAVAILABLE:
        n = len(news.new)
        if news.since:
            when = f"{news.since:%Y-%m-%d %H:%M} UTC"
            said = t("{n} new hit since {when}", "{n} new hits since {when}", n=n, when=when)
        else:
            said = t("{n} new hit", "{n} new hits", n=n)
        print_message(said)
    return int(response.outcome is Outcome.UNAVAILABLE)


def _entry(title: str, url: str, content: str) -> str:
    return f"{one_line(title)}\n  {one_line(url)}\n  {one_line(content)[:300]}"
