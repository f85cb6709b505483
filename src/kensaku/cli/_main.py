"""Parse the command line, run a command, return its exit status.

    words → the command's own parser → run(args) → 0 | 1 | 2 | 130

0: found, or nothing to find. 1: no provider could search, or an error of ours. 2: wrong usage.
130: Ctrl-C. A command is a module with `USAGE`, `add_arguments(parser)` and
`async run(args) -> int`, and a row in `COMMANDS`; its docstring is the text of its `--help`.
`EXTRA` is the extra that it needs, if it needs one.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kensaku.errors import KensakuError, MissingExtra, UnknownName, UsageError, system_reason
from kensaku.messages import msg

if TYPE_CHECKING:
    from types import ModuleType

    from kensaku.cli._parser import Parser

ISSUES = "https://github.com/kensaku-search/kensaku/issues"
# The commands in the order of `kensaku --help`, under what a person wants to do.
GROUPS = {
    msg("Begin"): {
        "init": msg("set up: enter API keys, test and save them"),
        "doctor": msg("check this machine, the providers and the local index"),
    },
    msg("Search the web"): {
        "search": msg("search the web or the local index and print ranked results"),
        "context": msg("search and print the best passages, within a token budget"),
        "answer": msg("search once and print an answer that cites its sources"),
        "research": msg("plan, search, read and print a cited report"),
        "watch": msg("repeat a saved search and print only new results"),
    },
    msg("Read pages"): {
        "extract": msg("read web pages and print their main text as Markdown"),
        "verify": msg("check whether a page contains a quote"),
        "crawl": msg("read the pages of a site"),
        "map": msg("list the URLs of a site"),
    },
    msg("Your own documents"): {
        "index": msg("manage the local index: add, delete, export, watch …"),
        "jobs": msg("list, show, cancel and resume jobs"),
    },
    msg("Assistant"): {
        "ask": msg("ask the assistant one question: your documents first, then the web"),
        "chat": msg("chat with the assistant in the terminal"),
        "slack": msg("run the assistant in Slack"),
        "telegram": msg("run the assistant in Telegram"),
        "people": msg("export or delete what is stored about a person"),
    },
    msg("Server"): {
        "serve": msg("serve the APIs of Tavily and others over HTTP, with a web page"),
        "mcp": msg("serve the tools to MCP clients"),
        "keys": msg("create, list and revoke the API keys of the server"),
        "usage": msg("show the server's usage by provider, key, day or endpoint"),
        "backup": msg("copy keys, usage, jobs and documents while the server runs"),
    },
    msg("Providers and settings"): {
        "providers": msg("list providers, their features and status"),
        "compare": msg("run a query on several routes, side by side"),
        "eval": msg("score routes on your own questions"),
        "config": msg("list settings, their values and origins"),
        "cache": msg("show the size of the response cache, or clear it"),
        "completion": msg("print a completion script for a shell"),
    },
}
COMMANDS = {name: about for group in GROUPS.values() for name, about in group.items()}
EXIT_FOUND, EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130


def run_command(words: Sequence[str]) -> int:
    """Run a command. What goes wrong is printed as one sentence, without a traceback."""
    _replace_unencodable()
    # What a person should know is printed; a log is for servers, which set one up themselves.
    logging.getLogger("kensaku").addHandler(logging.NullHandler())
    try:
        status = _dispatch(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe. Without this the interpreter reports it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FOUND
    except Exception as error:
        if _debugging():
            raise
        from kensaku.cli._terminal import error_text, print_message

        said = _as_ours(words, error)
        print_message(f"kensaku: {error_text(said)}")
        return EXIT_USAGE if _is_usage(said) else EXIT_FAILED
    return status


def _is_usage(error: KensakuError) -> bool:
    return isinstance(error, UsageError) and not isinstance(error, MissingExtra)


def _debugging() -> bool:
    from kensaku.config.settings import environment

    return bool(environment().get("KENSAKU_DEBUG"))


def _as_ours(words: Sequence[str], error: BaseException) -> KensakuError:
    """Return any error as one sentence with the next step."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ImportError) and words:  # a `MissingExtra` is one, too
        return _missing_extra(words, error)
    if isinstance(error, KensakuError):
        return error
    if isinstance(error, OSError) and error.filename:
        return KensakuError(
            msg("{path}: {reason}", path=error.filename, reason=system_reason(error)),
            remedy=msg("check the path, and who may read and write it"),
        )
    return _fault_of_ours(error)


def _fault_of_ours(error: BaseException) -> KensakuError:
    what = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    return KensakuError(
        msg("this should not have happened: {what}", what=what[:300]),
        remedy=msg("KENSAKU_DEBUG=1 shows the traceback; please report it at {url}", url=ISSUES),
    )


def _missing_extra(words: Sequence[str], error: ImportError) -> KensakuError:
    name = error.name or ""
    if not isinstance(error, MissingExtra) and name.partition(".")[0] in ("", "kensaku"):
        return _fault_of_ours(error)
    from kensaku.cli._missing import missing_extra

    config = None
    with suppress(ImportError):  # it may be the command's own
        args = _parse_intermixed(make_parser(words[0]), list(words[1:]))
        config = getattr(args, "config", None)
    return missing_extra(words[0], error, config)


def make_parser(name: str, width: int | None = None) -> Parser:
    """Return the parser of one command. Only that command's module is imported."""
    from kensaku.cli._parser import Parser

    return Parser(name, command_module(name), width)


def command_module(name: str) -> ModuleType:
    """Import the module of a command. Raises `UsageError`."""
    if name in COMMANDS:
        return import_module(f"kensaku.cli.{name}")
    if name.startswith("-"):
        raise UsageError(
            msg("{option} stands before the command", option=name.partition("=")[0]),
            remedy=msg("write it behind: kensaku COMMAND {option} …", option=name),
        )
    unknown = UnknownName(msg("command"), name, COMMANDS)
    if not unknown.near:
        unknown.remedy = msg("`kensaku --help` lists them; to search: kensaku search WORD …")
    raise unknown


def overview() -> str:
    """Return the text of `kensaku --help`."""
    from kensaku.cli._terminal import t

    lines = [
        t("usage: ") + "kensaku [--version] [--help] COMMAND …",
        "",
        t("Web search for AI agents."),
    ]
    width = max(map(len, COMMANDS))
    for title, commands in GROUPS.items():
        lines += ["", t(title)]
        lines += [f"  {name:<{width}}  {t(about)}" for name, about in commands.items()]
    return "\n".join([*lines, "", t("Run `kensaku COMMAND --help` for the options of a command.")])


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
