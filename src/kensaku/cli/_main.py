"""From words to an exit status.

    words → the command's own parser → run() → 0 | 1 | 2 | 130

0: found, or nothing to find. 1: nobody could search, or something of ours is broken. 2: wrong use.
A new command is a file with `USAGE`, `add_arguments(parser)` and `async run(args) -> int`, and a
line in the table; its docstring is the text of its `--help`.
"""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kensaku.errors import KensakuError, MissingExtra, UnknownName, UsageError

if TYPE_CHECKING:
    from types import ModuleType

COMMANDS = {
    "search": "search the web, or the local index",
    "context": "search, and pack passages for a prompt into a number of tokens",
    "answer": "search and answer, each sentence with its source",
    "extract": "read pages: their main text as Markdown",
    "verify": "does a quote stand on a page?",
    "crawl": "read the pages of a site",
    "map": "list the pages of a site",
    "index": "look after the local index: add, list, rm, export, watch …",
    "providers": "who can be asked, what each can do, and how it is",
    "config": "every setting, its value, and where it came from",
    "doctor": "find out what does not work, and what to do about it",
    "cache": "how much is kept, and forget it",
    "mcp": "serve the tools to MCP clients",
    "completion": "completion for bash, zsh or fish",
}
EXIT_FOUND, EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130


def start(words: Sequence[str]) -> int:
    """Run a command. No error of ours ends in a traceback."""
    _make_writable()
    try:
        status = _run(words)
        sys.stdout.flush()
    except KensakuError as error:
        from kensaku.cli._terminal import tell

        tell(f"kensaku: {error}")
        wrong_use = isinstance(error, UsageError) and not isinstance(error, MissingExtra)
        return EXIT_USAGE if wrong_use else EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Who read us has enough; the interpreter must not complain of it when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FOUND
    return status


def parser_of(name: str, width: int | None = None) -> argparse.ArgumentParser:
    """The parser of one command, with only its own module loaded."""
    module = _module(name)
    parser = argparse.ArgumentParser(
        prog=f"kensaku {name}",
        usage=f"kensaku {name} {module.USAGE}",
        description=inspect.cleandoc(module.__doc__ or ""),
        formatter_class=partial(_Help, width=width),
        allow_abbrev=False,
    )
    parser.color = False  # type: ignore[attr-defined, unused-ignore]  # Python 3.14 paints help
    module.add_arguments(parser)
    return parser


def overview() -> str:
    """What `kensaku --help` prints."""
    lines = ["usage: kensaku [--version] [--help] COMMAND …", "", "Web search for AI agents.", ""]
    wide = max(map(len, COMMANDS))
    lines += ["commands:", *(f"  {name:<{wide}}  {about}" for name, about in COMMANDS.items())]
    return "\n".join([*lines, "", "`kensaku COMMAND --help` says more about each."])


def _run(words: Sequence[str]) -> int:
    if not words:
        print(overview(), file=sys.stderr)
        return EXIT_USAGE
    name, rest = words[0], list(words[1:])
    if name in ("-h", "--help", "help"):
        print(parser_of(rest[0]).format_help() if rest else overview())
        return EXIT_FOUND
    parser = parser_of(name)
    # Words and options may be mixed, as in: search otter -n 3 facts. Subcommands forbid that.
    mixed = not any(isinstance(a, argparse._SubParsersAction) for a in parser._actions)
    args = _parse_mixed(parser, rest) if mixed else parser.parse_args(rest)
    import asyncio

    status: int = asyncio.run(_module(name).run(args))
    return status


def _parse_mixed(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
    """Parse words and options in any order. What follows `--` is words, whatever it looks like:
    argparse forgets that when they are mixed, so it gets to see them with a NUL in front."""
    at = words.index("--") if "--" in words else len(words)
    args = parser.parse_intermixed_args(words[:at] + ["\0" + word for word in words[at + 1 :]])
    for name, value in vars(args).items():
        if isinstance(value, list):
            setattr(args, name, [v.removeprefix("\0") if isinstance(v, str) else v for v in value])
        elif isinstance(value, str):
            setattr(args, name, value.removeprefix("\0"))
    return args


def _module(name: str) -> ModuleType:
    if name not in COMMANDS:
        raise UnknownName("command", name, COMMANDS)
    return import_module(f"kensaku.cli.{name}")


def _make_writable() -> None:
    """A terminal that cannot show a character shows its number instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None and (stream.encoding or "").lower() not in ("utf-8", "utf8"):
            reconfigure(errors="backslashreplace")


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help that reads the same in every version of Python."""

    def __init__(self, prog: str, width: int | None = None) -> None:
        super().__init__(prog, max_help_position=28, width=width)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        names = ", ".join(action.option_strings)
        if action.nargs == 0:
            return names
        return f"{names} {self._format_args(action, (action.dest or '').upper())}"
