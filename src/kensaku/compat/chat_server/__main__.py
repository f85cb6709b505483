"""Register `search_web` in a database.

python -m kensaku.compat.chat_server register  URL [--agent NAME]
python -m kensaku.compat.chat_server check     URL
python -m kensaku.compat.chat_server downgrade URL
python -m kensaku.compat.chat_server sql       [--own-tables]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from kensaku.errors import KensakuError, MissingExtra


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0 if it succeeded and the rows agree, else 1."""
    parser = argparse.ArgumentParser(prog="python -m kensaku.compat.chat_server")
    parser.add_argument("what", choices=("register", "check", "downgrade", "sql"))
    parser.add_argument("url", nargs="?", help="sqlite:///agents.db, postgresql://user@host/name")
    parser.add_argument("--agent", default="assistant", help="who gets the tool")
    parser.add_argument(
        "--own-tables", action="store_true", help="sql for a database that has no tables yet"
    )
    args = parser.parse_args(arguments)
    if args.what == "sql":
        print(sql_file("own_tables" if args.own_tables else "existing_tables").read_text(), end="")
        return 0
    if args.url is None:
        parser.error(f"{args.what} needs the URL of a database")
    return _run(args)


def sql_file(name: str) -> Path:
    """Return the path of a file that registers on PostgreSQL without Python."""
    return Path(__file__).parent / "sql" / f"{name}.sql"


def _run(args: argparse.Namespace) -> int:
    try:
        from kensaku.compat.chat_server import database

        if args.what == "register":
            done = database.register(args.url, args.agent)
            place = "" if done.order is None else f", in place {done.order}"
            off = "" if done.active else ", but it is switched off (is_active)"
            print(f"{done.agent} has {done.tool}{place}{off}")
        elif args.what == "downgrade":
            database.downgrade(args.url)
            print("what the migrations had made is gone")
        elif wrong := database.drift(args.url):
            print("\n".join(wrong))
            return 1
        else:
            print("the rows and TOOL_REGISTRY agree")
    except KensakuError as error:
        if isinstance(error, MissingExtra) and args.url.startswith("postgres"):
            error = MissingExtra(error.what, "postgres")  # one line for both packages
        print(f"error: {error}", file=sys.stderr)
        return 1
    except database.SQLAlchemyError as error:
        print(f"error: the database refused: {database.refusal(error)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
