"""Print a completion script for a shell.

  bash: eval "$(kensaku completion bash)"
  zsh:  kensaku completion zsh > "${fpath[1]}/_kensaku"
  fish: kensaku completion fish > ~/.config/fish/completions/kensaku.fish

It completes commands, options, providers, dialects, collections and paths.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kensaku.cli._main import COMMANDS, command_module
from kensaku.cli._parser import parser_options
from kensaku.cli._terminal import print_result
from kensaku.dialects import dialect_names
from kensaku.errors import MissingExtra
from kensaku.providers import provider_names
from kensaku.tools.registry import TOOLS

USAGE = "bash|zsh|fish"
EXTRA = "completion"
SHELLS = ("bash", "zsh", "fish")
_COLLECTIONS = "kensaku index collections 2>/dev/null"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the shell."""
    parser.add_argument("shell", choices=SHELLS, help="shell to complete in")


async def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print_result(completion_script(args.shell))
    return 0


def completion_script(shell: str) -> str:
    """Generate the script from the parsers of all commands."""
    try:
        import shtab
    except ImportError:
        raise MissingExtra("shtab", "completion") from None
    script: str = shtab.complete(_root_parser(), shell)
    if shell == "zsh":  # shtab 1.13 completes only the first word of an argument that takes more
        script = re.sub(r'"\(\*\)::?', '"*:', script)
    return script


def _root_parser() -> argparse.ArgumentParser:
    """Return one parser with all commands. It only describes them: nothing is parsed with it."""
    parser = argparse.ArgumentParser(prog="kensaku")
    parser.add_argument("-V", "--version", action="version", version="", help="print the version")
    commands = parser.add_subparsers()
    for name, about in COMMANDS.items():
        options = parser_options(name, command_module(name))
        command = commands.add_parser(name, help=about, **options)
        command_module(name).add_arguments(command)
        for action in command._actions:
            _set_completer(name, action)
    return parser


def _set_completer(command: str, action: Any) -> None:
    """Tell shtab what completes an argument whose parser has no `choices`."""
    import shtab

    if action.type is Path or (command, action.dest) == ("index", "what"):
        action.complete = shtab.FILE
    elif action.dest == "collection":
        action.complete = _collection_completer()
    elif action.dest == "route":
        action.complete = _list_completer("route", ["auto", *provider_names()])
    elif action.dest == "tools":
        action.complete = _list_completer("tools", TOOLS)
    elif action.dest == "dialect":
        action.choices = dialect_names()
    elif (command, action.dest) == ("providers", "names"):
        action.choices = provider_names()
    elif not action.option_strings and not action.choices:
        action.complete = {"zsh": "()"}  # without an action of its own zsh offers no options here


def _list_completer(name: str, values: Iterable[str]) -> dict[str, Any]:
    """Complete values that are separated by commas."""
    function, words = f"_kensaku_{name}", " ".join(values)
    bash = (
        f'{function}() {{\n  local head=""\n  [[ "$1" == *,* ]] && head="${{1%,*}},"\n'
        f'  compgen -P "$head" -W "{words}" -- "${{1##*,}}"\n}}'
    )
    return {
        "bash": function,
        "zsh": function,
        "fish": f"(__fish_complete_list , '{function}')",
        "preamble": {
            "bash": bash,
            "zsh": f"{function}() {{ _values -s , {name} {words} }}",
            "fish": f"function {function}\n  string split ' ' '{words}'\nend",
        },
    }


def _collection_completer() -> dict[str, Any]:
    """Complete the names of the collections that exist when Tab is pressed."""
    function = "_kensaku_collections"
    zsh = f'local -a names=(${{(f)"$({_COLLECTIONS})"}}); _describe collection names'
    return {
        "bash": function,
        "zsh": function,
        "fish": f"({_COLLECTIONS})",
        "preamble": {
            "bash": f'{function}() {{ compgen -W "$({_COLLECTIONS})" -- "$1"; }}',
            "zsh": f"{function}() {{ {zsh} }}",
        },
    }
