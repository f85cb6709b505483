"""`kensaku completion`: what bash, zsh and fish offer for what a person has typed."""

from __future__ import annotations

import argparse
import os
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kensaku.cli._main import COMMANDS
from kensaku.cli.completion import SHELLS, _list_completer, _root_parser, completion_script

from .conftest import Cli, Run

Complete = Callable[[Path, str, dict[str, str]], str]

CASES = [
    ("sea", "search"),
    ("search --dep", "search --depth"),
    ("search --depth adv", "search --depth advanced"),
    ("search otter --dialect com", "search otter --dialect compact"),
    ("search --route tav", "search --route tavily"),
    ("search --route tavily,kag", "search --route tavily,kagi"),
    ("search --config not", "search --config notes.md"),
    ("context otter --mode h", "context otter --mode hedge"),
    ("index del", "index delete"),
    ("index add not", "index add notes.md"),
    ("index add notes.md pap", "index add notes.md papers"),
    ("index export --collection defa", "index export --collection default"),
    ("providers tavily kag", "providers tavily kagi"),
    ("mcp --tools web_search,web_e", "mcp --tools web_search,web_extract"),
    ("cache cl", "cache clear"),
    ("completion fi", "completion fish"),
]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_command_and_option(shell: str, run: Run) -> None:
    """It is generated from the parsers, so it is never behind them."""
    done = run("completion", shell)

    assert done.returncode == 0
    for word in (*COMMANDS, "include-domains", "tavily", "compact", "advanced"):
        assert word in done.stdout
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=done.stdout, text=True, check=True)


def test_a_missing_package_names_the_extra(run: Run, tmp_path: Path) -> None:
    """`pip install "kensaku-search[completion]"`; the other commands do not need it."""
    (tmp_path / "shtab.py").write_text("raise ImportError")
    done = run("completion", "bash", PYTHONPATH=str(tmp_path))

    assert done.returncode == 1
    assert 'pip install "kensaku-search[completion]"' in done.stderr


def _bash(script: Path, line: str, env: dict[str, str]) -> str:
    words = ["kensaku", *line.split(" ")]
    array = " ".join(f'"{word}"' for word in words)
    program = f"source {script}; COMP_WORDS=({array}); COMP_CWORD={len(words) - 1}; "
    offered = _output(["bash", "-c", program + '_shtab_kensaku; echo "${COMPREPLY[*]}"'], env)
    return " ".join([*words[1:-1], offered])


def _fish(script: Path, line: str, env: dict[str, str]) -> str:
    offered = _output(["fish", "-c", f"source {script}; complete -C 'kensaku {line}'"], env)
    names = [row.partition("\t")[0] for row in offered.splitlines()]
    return " ".join([*line.split(" ")[:-1], *names])


def _zsh(script: Path, line: str, env: dict[str, str]) -> str:
    """Type the line and Tab into an interactive zsh; a key binding prints the edited line."""
    pty = pytest.importorskip("pty")
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**env, "TERM": "dumb", "HISTFILE": ""})
    setup = (
        f'autoload -U compinit && compinit -D -u; eval "$(<{script})"; '
        "bindkey '^I' complete-word; "
        'show() { print -r -- "BUFFER<$BUFFER>"; }; zle -N show; bindkey "^X" show; print REA""DY'
    )
    os.write(terminal, setup.encode() + b"\n")
    _read_until(terminal, rb"READY\r\n")
    os.write(terminal, f"kensaku {line}\t\x18".encode())
    edited = _read_until(terminal, rb"BUFFER<([^$].*?)>")
    os.write(terminal, b"\x03exit\n")
    os.close(terminal)
    os.waitpid(pid, 0)
    return edited.decode().removeprefix("kensaku ")


def _read_until(terminal: int, pattern: bytes) -> bytes:
    output = b""
    while (match := re.search(pattern, output)) is None:
        assert select.select([terminal], [], [], 120)[0], output
        output += os.read(terminal, 4096)
    return match[1] if match.groups() else match[0]


def _output(command: list[str], env: dict[str, str]) -> str:
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes(
    shell: str,
    env: dict[str, str],
    library: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Commands, options, lists with commas, collections and paths."""
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    (tmp_path / "notes.md").touch()
    (tmp_path / "papers").mkdir()
    monkeypatch.chdir(tmp_path)
    script = tmp_path / f"completion.{shell}"
    script.write_text(completion_script(shell))
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    complete: Complete = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    offered = {line: complete(script, line, env).rstrip(" ,/") for line, _ in CASES}

    assert offered == dict(CASES)


FILES = {"bash": "_shtab_compgen_files", "zsh": "_files"}


def arguments(command: str) -> dict[str, argparse.Action]:
    """The arguments of a command as the script is generated from."""
    root = _root_parser()
    (commands,) = [a for a in root._actions if isinstance(a, argparse._SubParsersAction)]
    assert list(commands.choices) == list(COMMANDS)
    return {action.dest: action for action in commands.choices[command]._actions}


@pytest.mark.parametrize(
    ("command", "name", "completer"),
    [
        ("search", "config", FILES),
        ("search", "record", FILES),
        ("index", "what", FILES),
        ("search", "query", {"zsh": "()"}),
        ("extract", "urls", {"zsh": "()"}),
        ("search", "timeout", None),
        ("search", "depth", None),
        ("index", "action", None),
        ("providers", "names", None),
    ],
)
def test_an_argument_is_completed_by_its_kind(
    command: str, name: str, completer: dict[str, str] | None
) -> None:
    """Files by files; free words by nothing, which zsh wants to be told."""
    found = getattr(arguments(command)[name], "complete", None)

    assert (found.items() >= completer.items()) if completer and found else found == completer


def test_names_that_are_known_are_offered() -> None:
    """Of dialects and providers."""
    assert {"plain", "compact"} <= set(arguments("search")["dialect"].choices or ())
    assert {"tavily", "brave"} <= set(arguments("providers")["names"].choices or ())
    assert arguments("config")["names"].choices is None


def test_lists_with_commas_are_completed_at_their_last_word() -> None:
    """By a function for each shell, in front of the script."""
    assert _list_completer("route", ["auto", "local"]) == {
        "bash": "_kensaku_route",
        "zsh": "_kensaku_route",
        "fish": "(__fish_complete_list , '_kensaku_route')",
        "preamble": {
            "bash": '_kensaku_route() {\n  local head=""\n  [[ "$1" == *,* ]] && head="${1%,*},"\n'
            '  compgen -P "$head" -W "auto local" -- "${1##*,}"\n}',
            "zsh": "_kensaku_route() { _values -s , route auto local }",
            "fish": "function _kensaku_route\n  string split ' ' 'auto local'\nend",
        },
    }
    for command, name, words in (
        ("search", "route", "auto "),
        ("mcp", "tools", "rag_search "),
    ):
        complete = arguments(command)[name].complete  # type: ignore[attr-defined]
        assert complete["bash"] == f"_kensaku_{name}"
        assert f'-W "{words}' in complete["preamble"]["bash"]


def test_collections_are_asked_for_when_tab_is_pressed() -> None:
    """They come and go; what goes wrong meanwhile is not shown."""
    ask = "kensaku index collections 2>/dev/null"
    assert arguments("crawl")["collection"].complete == {  # type: ignore[attr-defined]
        "bash": "_kensaku_collections",
        "zsh": "_kensaku_collections",
        "fish": f"({ask})",
        "preamble": {
            "bash": f'_kensaku_collections() {{ compgen -W "$({ask})" -- "$1"; }}',
            "zsh": f'_kensaku_collections() {{ local -a names=(${{(f)"$({ask})"}}); '
            "_describe collection names }",
        },
    }


def test_zsh_completes_every_word_of_an_argument_that_takes_more() -> None:
    """Not only the first."""
    script = completion_script("zsh")

    assert '"(*)' not in script
    assert '"*:' in script


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_printed_with_the_version_option(shell: str, cli: Cli) -> None:
    """As it was generated."""
    done = cli("completion", shell)

    assert (done.status, done.err) == (0, "")
    assert done.out.rstrip("\n") == completion_script(shell).rstrip("\n")
    assert "print the version" in done.out or "--version" in done.out
