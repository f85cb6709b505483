"""Run a query on several routes and print the results side by side.

Routes are separated by commas; + joins providers into one route, asked in that order:
`--route tavily,brave+local`. The response cache is not used, so that latency and cost are real.
Exit status: 0 a route could search, 1 none could, 2 wrong usage.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kensaku.cli._client import open_client
from kensaku.cli._notices import OUTCOMES
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import error_text, format_table, print_json, print_result, t
from kensaku.errors import ProviderError
from kensaku.messages import msg
from kensaku.models import Outcome, Query
from kensaku.text.clean import one_line

if TYPE_CHECKING:
    from kensaku.compare import Comparison, Side

USAGE = "--route NAMES [options] WORD …"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the query and the routes."""
    add = parser.add_argument
    add("query", nargs="+", metavar="WORD", help="what to search for")
    add("--route", required=True, metavar="NAMES", help="routes to compare, separated by commas")
    add("-n", "--max-results", type=int, default=5, metavar="N", help="hits per route (default 5)")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Compare routes; print a table and the unique results of each."""
    from kensaku.compare import compare

    query = Query(" ".join(args.query), max_results=args.max_results)
    async with open_client(load_settings(args)) as k:
        found = await compare(k, query, routes_of(args.route), cache=False)
    if args.json:
        print_json(found.to_dict())
    else:
        print_result(format_comparison(found))
    searched = [s for s in found.sides if s.response.outcome is not Outcome.UNAVAILABLE]
    return 0 if searched else 1


def routes_of(text: str) -> list[str]:
    """`"tavily,brave+local"` → two routes: tavily alone, and brave with local behind it."""
    return [word.strip().replace("+", ",") for word in text.split(",") if word.strip()]


def format_comparison(found: Comparison) -> str:
    """Format a table of the routes, their overlap, and the unique results of each."""
    head = [msg("route"), msg("outcome"), msg("hits"), msg("alone"), "ms", "$", msg("confidence")]
    blocks = [format_table([head, *map(_row, found.sides)])]
    pair = msg("{first} and {second}: {common} of {total}")
    pairs = [
        "  " + t(pair, first=o.first, second=o.second, common=o.common, total=o.total)
        for o in found.overlaps
    ]
    blocks.append(t("found by both:") + "\n" + "\n".join(pairs))
    for side in found.sides:
        alone = [h for h, n in zip(side.response.hits, side.shared, strict=True) if not n]
        if alone:
            lines = [f"  {one_line(h.title)}\n    {one_line(h.url)}" for h in alone]
            blocks.append(t("only {route}:", route=side.route) + "\n" + "\n".join(lines))
    blocks += [
        t("{route} could not search: {why}", route=", ".join(names), why=why)
        for why, names in _failed(found)
    ]
    return "\n\n".join(blocks)


def _failed(found: Comparison) -> Iterable[tuple[str, list[str]]]:
    """Return each reason for which routes could not search, once, and these routes."""
    routes: dict[str, list[str]] = {}
    for side in found.sides:
        if side.response.outcome is Outcome.UNAVAILABLE:
            errors = [a.error for a in side.response.attempts if a.error]
            whys = dict.fromkeys(one_line(error_text(e)) for e in errors)
            if len({e.provider for e in errors if isinstance(e, ProviderError)}) == 1:
                whys = dict.fromkeys(
                    why.removeprefix(t("{name}: {text}", name=side.route, text="")) for why in whys
                )
            routes.setdefault("; ".join(whys), []).append(side.route)
    return routes.items()


def _row(side: Side) -> list[str]:
    r = side.response
    return [
        side.route,
        t(OUTCOMES[r.outcome]),
        str(len(r.hits)),
        str(side.unique),
        f"{r.elapsed_ms:.0f}",
        f"{r.cost:.4f}",
        f"{r.confidence.score:.2f}",
    ]
