"""Parse the command line, run a command, return its exit status.

    words → the command's own parser → run(args) → 0 | 1 | 2 | 130

0: found, or nothing to find. 1: no provider could search, or an error of ours. 2: wrong usage.
130: Ctrl-C. A command is a module with `USAGE`, `add_arguments(parser)` and
`async run(args) -> int`, and a row in `COMMANDS`; its docstring is the text of its `--help`.
`EXTRA` is the extra that it needs, if it needs one.
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
    "init": "set up: enter API keys, test and save them",
    "search": "search the web or the local index and print ranked results",
    "context": "search and print the best passages, within a token budget",
    "answer": "search and print an answer that cites its sources",
    "ask": "ask the assistant one question and print its cited answer",
    "chat": "chat with the assistant in the terminal",
    "research": "plan, search, read and print a cited report",
    "extract": "read web pages and print their main text as Markdown",
    "verify": "check whether a page contains a quote",
    "crawl": "read the pages of a site",
    "map": "list the URLs of a site",
    "index": "manage the local index: add, delete, export, watch …",
    "jobs": "list, show, cancel and resume jobs",
    "providers": "list providers, their features and status",
    "config": "list settings, their values and origins",
    "doctor": "check this machine, the providers and the local index",
    "watch": "repeat a saved search and print only new results",
    "compare": "run a query on several routes, side by side",
    "eval": "score routes on your own questions",
    "cache": "show the size of the response cache, or clear it",
    "serve": "serve the APIs of Tavily and others over HTTP, with a web page",
    "keys": "create, list and revoke the API keys of the server",
    "usage": "show usage by provider, key, day or endpoint",
    "backup": "copy keys, usage, jobs and documents while the server runs",
    "people": "export or delete what is stored about a person",
    "mcp": "serve the tools to MCP clients",
    "slack": "run the assistant in Slack",
    "telegram": "run the assistant in Telegram",
    "completion": "print a completion script for a shell",
}
EXIT_FOUND, EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130


def run_command(words: Sequence[str]) -> int:
    """Run a command. An error of ours is printed as one sentence, without a traceback."""
    _replace_unencodable()
    try:
        status = _dispatch(words)
        sys.stdout.flush()
    except ImportError as error:  # a `MissingExtra` is one, too
        _print_error(_missing_extra(words[0], error))
        return EXIT_FAILED
    except KensakuError as error:
        _print_error(error)
        return EXIT_USAGE if isinstance(error, UsageError) else EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe. Without this the interpreter reports it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FOUND
    return status


def _print_error(error: KensakuError) -> None:
    from kensaku.cli._terminal import print_message

    print_message(f"kensaku: {error}")


def _missing_extra(name: str, error: ImportError) -> MissingExtra:
    """Return the error of a missing package, with the extra that brings all of the command."""
    extra = getattr(sys.modules.get(f"kensaku.cli.{name}"), "EXTRA", "standard")
    if isinstance(error, MissingExtra):
        return MissingExtra(error.what, extra) if error.extra == "database" else error
    if not error.name or error.name.partition(".")[0] == "kensaku":
        raise error  # a fault of ours, and no package that is missing
    return MissingExtra(f"{error.name}, which kensaku {name} needs,", extra)


def make_parser(name: str, width: int | None = None) -> argparse.ArgumentParser:
    """Return the parser of one command. Only that command's module is imported."""
    parser = argparse.ArgumentParser(prog=f"kensaku {name}", **parser_options(name, width))
    parser.color = False  # type: ignore[attr-defined, unused-ignore]  # new in Python 3.14
    command_module(name).add_arguments(parser)
    return parser


def parser_options(name: str, width: int | None = None) -> dict[str, Any]:
    """Return the constructor arguments of a command's parser."""
    module = command_module(name)
    return {
        "usage": f"kensaku {name} {module.USAGE}",
        "description": inspect.cleandoc(module.__doc__ or ""),
        "formatter_class": partial(_HelpFormatter, width=width),
        "allow_abbrev": False,
    }


def command_module(name: str) -> ModuleType:
    """Import the module of a command. Raises `UnknownName`."""
    if name not in COMMANDS:
        raise UnknownName("command", name, COMMANDS)
    return import_module(f"kensaku.cli.{name}")


def overview() -> str:
    """Return the text of `kensaku --help`."""
    lines = ["usage: kensaku [--version] [--help] COMMAND …", "", "Web search for AI agents.", ""]
    width = max(map(len, COMMANDS))
    lines += ["commands:", *(f"  {name:<{width}}  {about}" for name, about in COMMANDS.items())]
    return "\n".join([*lines, "", "Run `kensaku COMMAND --help` for the options of a command."])


def _dispatch(words: Sequence[str]) -> int:
    if not words:
        print(overview(), file=sys.stderr)
        return EXIT_USAGE
    name, rest = words[0], list(words[1:])
    if name in ("-h", "--help", "help"):
        print(make_parser(rest[0]).format_help() if rest else overview())
        return EXIT_FOUND
    args = _parse_intermixed(make_parser(name), rest)
    import asyncio

    module = command_module(name)
    with asyncio.Runner(loop_factory=getattr(module, "new_event_loop", None)) as runner:
        status: int = runner.run(module.run(args))
    return status


def _parse_intermixed(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
    """Parse words and options in any order, as in: search otter -n 3 facts.

    Words after `--` are never options. `parse_intermixed_args` does not remember that, so they are
    passed with a NUL in front, which is removed from the result.
    """
    at = words.index("--") if "--" in words else len(words)
    args = parser.parse_intermixed_args(words[:at] + ["\0" + word for word in words[at + 1 :]])
    for name, value in vars(args).items():
        if isinstance(value, list):
            setattr(args, name, [v.removeprefix("\0") if isinstance(v, str) else v for v in value])
        elif isinstance(value, str):
            setattr(args, name, value.removeprefix("\0"))
    return args


def _replace_unencodable() -> None:
    """Print a character that the terminal's encoding lacks as its number instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None and (stream.encoding or "").lower() not in ("utf-8", "utf8"):
            reconfigure(errors="backslashreplace")


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Format help the same way in every version of Python."""

    def __init__(self, prog: str, width: int | None = None) -> None:
        super().__init__(prog, max_help_position=28, width=width)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        names = ", ".join(action.option_strings)
        if action.nargs == 0:
            return names
        return f"{names} {self._format_args(action, (action.dest or '').upper())}"
