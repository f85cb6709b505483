"""Completion for a shell, to be put where the shell looks for it.

bash: eval "$(kensaku completion bash)"
zsh:  kensaku completion zsh > "${fpath[1]}/_kensaku"
fish: kensaku completion fish > ~/.config/fish/completions/kensaku.fish
"""

from __future__ import annotations

import argparse
from pathlib import Path

from kensaku.cli import _terminal as terminal

USAGE = "bash|zsh|fish"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which shell."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="for which shell")


async def run(args: argparse.Namespace) -> int:
    """Print the script."""
    terminal.show({"bash": bash, "zsh": zsh, "fish": fish}[args.shell]())
    return 0


def bash() -> str:
    """For bash: by command and by the word before."""
    from kensaku.cli._main import COMMANDS

    values, files, options = [], [], []
    for name in COMMANDS:
        words = []
        for flags, choices, is_file, _ in _options(name):
            words += [*flags] or choices
            here = "|".join(f"{name}:{flag}" for flag in flags)
            if flags and is_file:
                files.append(here)
            elif flags and choices:
                values.append(f'    {here}) words="{" ".join(choices)}" ;;')
        options.append(f'    {name}) words="{" ".join(words)}" ;;')
    return "\n".join(
        [
            "_kensaku() {",
            '  local words="" before="${COMP_WORDS[COMP_CWORD-1]}" now="${COMP_WORDS[COMP_CWORD]}"',
            '  local command="${COMP_WORDS[1]}"',
            "  COMPREPLY=()",
            f'  if [ "$COMP_CWORD" -eq 1 ]; then words="{" ".join(COMMANDS)} --help --version"',
            '  else case "$command:$before" in',
            *values,
            f'    {"|".join(files)}) COMPREPLY=($(compgen -f -- "$now")); return ;;',
            '    *) case "$command" in',
            *options,
            "    esac ;;",
            "  esac; fi",
            '  COMPREPLY=($(compgen -W "$words" -- "$now"))',
            "}",
            "complete -F _kensaku kensaku",
        ]
    )


def zsh() -> str:
    """For zsh: with descriptions."""
    from kensaku.cli._main import COMMANDS

    lines = ["#compdef kensaku", "_kensaku() {", "  if (( CURRENT == 2 )); then"]
    lines += ["    local -a commands=("]
    lines += [f"      {_quoted(f'{name}:{about}')}" for name, about in COMMANDS.items()]
    lines += ["    )", "    _describe command commands; return", "  fi", '  case "$words[2]" in']
    for name in COMMANDS:
        specs = []
        for flags, choices, is_file, about in _options(name):
            value = (
                ":file:_files" if is_file else f":value:({' '.join(choices)})" if choices else ""
            )
            about = about.replace("[", "(").replace("]", ")").replace(":", "\\:")
            specs += [_quoted(f"{flag}[{about}]{value}") for flag in flags]
            if not flags and choices:
                specs.append(_quoted(f"*:value:({' '.join(choices)})"))
        lines.append(f"    {name}) shift words; (( CURRENT-- )); _arguments {' '.join(specs)} ;;")
    return "\n".join(
        [*lines, "  esac", "}", 'compdef _kensaku kensaku 2>/dev/null || _kensaku "$@"']
    )


def fish() -> str:
    """For fish: one line for each option."""
    from kensaku.cli._main import COMMANDS

    lines = []
    for name, about in COMMANDS.items():
        lines.append(
            f"complete -c kensaku -f -n __fish_use_subcommand -a {name} -d {_quoted(about)}"
        )
        inside = f"complete -c kensaku -n '__fish_seen_subcommand_from {name}'"
        for flags, choices, is_file, about_it in _options(name):
            names = "".join(
                f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}" for flag in flags
            )
            value = (
                " -r -F" if is_file else f" -f -a {_quoted(' '.join(choices))}" if choices else ""
            )
            lines.append(f"{inside}{names}{value} -d {_quoted(about_it)}")
    return "\n".join(lines)


def _options(command: str) -> list[tuple[list[str], list[str], bool, str]]:
    """Flags (none for an argument), values to choose from, whether it is a file, and its help."""
    from kensaku.cli._main import parser_of
    from kensaku.dialects import DIALECTS
    from kensaku.providers import provider_names

    names = {"route": ["auto", *provider_names()], "dialect": list(DIALECTS)}
    if command == "providers":
        names["names"] = provider_names()
    found = []
    for action in parser_of(command)._actions:
        choices = names.get(action.dest) or [str(c) for c in action.choices or ()]
        about = (action.help or "").replace("%(choices)s", ", ".join(choices))
        found.append((list(action.option_strings), choices, action.type is Path, about))
    return found


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
