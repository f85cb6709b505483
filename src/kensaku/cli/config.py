"""List settings, their values and origins; set or unset one. Keys are masked.

`config set NAME VALUE` writes to the settings file, which only you can read. Without a VALUE, or
with `-`, it prompts for the value or reads standard input, which keeps keys out of the shell
history. `config unset NAME` restores the default. `config path` prints the path of the file.
`config signature-key [FILE]` makes the key that signs requests to pages, sets it, and prints its
public half.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import format_table, print_json, print_message, print_result, t
from kensaku.config.edit import set_value, unset_value
from kensaku.config.settings import environment, settings_file
from kensaku.errors import UnknownName, UsageError
from kensaku.messages import msg

USAGE = "[options] [NAME …] | set NAME [VALUE] | unset NAME | path | signature-key [FILE]"
MAX_VALUE = 1 << 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of settings."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="only settings whose names start with this"
    )
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Print the settings, or change one."""
    match args.names:
        case ["set", name]:
            return _set(args, name, ask_for(name))
        case ["set", name, "-"]:
            return _set(args, name, sys.stdin.read(MAX_VALUE).strip())
        case ["set", name, value]:
            return _set(args, name, value)
        case ["unset", name]:
            path = unset_value(name, args.config)
            print_message(t("kensaku config: {name} was taken out of {path}", name=name, path=path))
            return 0
        case ["path"]:
            print_result(str(args.config or settings_file(environment())))
            return 0
        case ["signature-key", *paths] if len(paths) <= 1:
            return _make_signature_key(args, *paths)
        case ["set" | "unset", *_]:
            raise UsageError(
                msg("one name, and for set one value"),
                remedy=msg("kensaku config {usage}", usage=USAGE),
            )
    return _list(args)


def ask_for(name: str) -> str:
    """Ask for a value without showing it, or read it from standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline(MAX_VALUE).strip()
    from getpass import getpass

    return getpass(f"{name}: ").strip()


def _set(args: argparse.Namespace, name: str, value: str) -> int:
    if not value:
        raise UsageError(
            msg("{name} got no value", name=name),
            remedy=msg("kensaku config unset {name}", name=name),
        )
    path = set_value(name, value, args.config)
    print_message(t("kensaku config: {name} is set in {path}", name=name, path=path))
    return 0


def _make_signature_key(args: argparse.Namespace, file: str = "") -> int:
    from kensaku.fetch.signature import Signer, make_key, read_key

    path = Path(file or load_settings(args).home / "signature-key.pem").expanduser().absolute()
    make_key(path)
    set_value("fetch.signature_key", str(path), args.config)
    print_json(Signer(read_key(path), "").directory())
    print_message(
        t("kensaku config: {path} is the key; set fetch.signature_agent to the address of "
          "kensaku serve, which publishes the above", path=path)
    )  # fmt: skip
    return 0


def _list(args: argparse.Namespace) -> int:
    described = load_settings(args).described()
    rows = [row for row in described if not args.names or row[0].startswith(tuple(args.names))]
    for name in args.names:
        if not any(row[0].startswith(name) for row in described):
            raise UnknownName(msg("setting"), name, [row[0] for row in described])
    if args.json:
        names = ("name", "value", "origin", "about")
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    else:
        cells = [[k, "–" if v in ("", "None") else v, origin] for k, v, origin, _ in rows]
        print_result(format_table([[msg("setting"), msg("value"), msg("from")], *cells]))
    return 0
