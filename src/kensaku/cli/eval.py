"""Score routes on your own questions and recommend one.

QUESTIONS has one JSON object per line: `{"question": "…", "answer": "…"}`, or `"answers"` with a
list. A route answers a question if its context contains one of the answers. Routes are separated by
commas; + joins providers into one route. Searches are recorded in --cassettes and replayed the next
time, so repeating an evaluation costs nothing. Exit status: 0 scored, 1 no provider could search, 2
wrong usage.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import (
    ProgressBar,
    format_table,
    print_json,
    print_message,
    print_result,
    t,
)
from kensaku.cli.compare import routes_of
from kensaku.evaluate import evaluate, read_questions
from kensaku.messages import msg

if TYPE_CHECKING:
    from kensaku.answers.context import Context
    from kensaku.evaluate import Evaluation
    from kensaku.testing import Cassette

USAGE = "QUESTIONS --route NAMES [options]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the questions, the routes and where to record."""
    add = parser.add_argument
    add("questions", type=Path, metavar="QUESTIONS", help="JSON Lines of questions with answers")
    add("--route", required=True, metavar="NAMES", help="routes to score, separated by commas")
    add("--max-tokens", type=int, default=2_000, metavar="N",
        help="token budget of the context that must contain the answer (default 2000)")  # fmt: skip
    add("--cassettes", type=Path, metavar="FOLDER",
        help="record searches here, one file per route; replay known ones")  # fmt: skip
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Ask all questions by all routes and print scores and choice."""
    from contextlib import AsyncExitStack

    from kensaku.client import Kensaku

    questions, routes = read_questions(args.questions), routes_of(args.route)
    settings, bar = load_settings(args), ProgressBar()
    async with AsyncExitStack() as stack:
        clients: dict[str, Kensaku] = {}
        for route in routes:
            client = Kensaku(settings, cassette=_cassette(args.cassettes, route))
            clients[route] = await stack.enter_async_context(client)

        async def ask(route: str, question: str) -> tuple[Context, float]:
            began = time.perf_counter()
            context = await clients[route].context(
                question, max_tokens=args.max_tokens, route=route, cache=False
            )
            return context, (time.perf_counter() - began) * 1000

        try:
            judged = await evaluate(ask, questions, routes, progress=bar)
        finally:
            bar.clear()
    if args.json:
        print_json(judged.to_dict())
    else:
        print_result(format_evaluation(judged))
    return 1 if all(s.unavailable == s.questions for s in judged.scores) else 0


def _cassette(folder: Path | None, route: str) -> Cassette | None:
    if folder is None:
        return None
    from kensaku.testing import Cassette

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{route.replace(',', '+')}.json"
    replays = path.exists()
    playing, recording = (
        msg("kensaku eval: replaying {path}"),
        msg("kensaku eval: recording {path}"),
    )
    print_message(t(playing if replays else recording, path=path))
    return Cassette(path, "replay" if replays else "record")


def format_evaluation(judged: Evaluation) -> str:
    """A table of the routes, and the choice with its reason."""
    head = [
        msg("route"),
        msg("answers"),
        "±",
        msg("unavailable"),
        msg("$ per 1,000"),
        "p50 ms",
        "p95 ms",
    ]
    rows = [
        [
            s.route,
            f"{s.share:.1%}",
            f"{s.error:.1%}",
            str(s.unavailable),
            f"{1_000 * s.cost / s.questions:.2f}",
            f"{s.p50:.0f}",
            f"{s.p95:.0f}",
        ]
        for s in judged.scores
    ]
    choice = t("take {route}: {why}", route=judged.chosen, why=t(judged.why))
    return f"{format_table([head, *rows])}\n\n{choice}"
