"""`python -m tests.live [--keyless] [--query TEXT] [--to FOLDER] [PROVIDER …]`: ask real services.

Exit status: 0 when all that were asked have answered, 1 when one has not, 2 when nobody was asked.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from kensaku.config.settings import Settings
from kensaku.models import Query
from kensaku.providers import BUILT_IN
from tests import ROOT

from .search import ask_all


def main(arguments: list[str] | None = None, settings: Settings | None = None) -> int:
    """Ask, and print one line for each provider."""
    options = _parser().parse_args(arguments)
    query = Query(options.query, max_results=5)
    lines = asyncio.run(
        ask_all(
            settings or Settings.load(), options.providers, query, options.to,
            keyless=options.keyless,
        )
    )  # fmt: skip
    asked = [line for line in lines if line.what != "not asked"]
    failed = [line for line in asked if line.what == "failed"]
    print(f"\n{len(asked)} asked, {len(failed)} failed; recordings in {options.to}")
    return 2 if not asked else int(bool(failed))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make test-live", description=__doc__)
    # The empty list is argparse's own value for "none given", and has to be among the choices.
    parser.add_argument("providers", nargs="*", metavar="PROVIDER", choices=[[], *BUILT_IN])
    parser.add_argument("--keyless", action="store_true", help="ask those that need no key, too")
    parser.add_argument("--query", default="python 3.14 release date")
    parser.add_argument("--to", type=Path, default=ROOT / "live-recordings", metavar="FOLDER")
    return parser


if __name__ == "__main__":
    sys.exit(main())
