"""`kensaku completion`: what bash, zsh and fish offer for what a person has typed."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Cli

SHELLS = ("bash", "zsh", "fish")
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


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_command_and_option(shell: str, cli: Cli) -> None:
    """It is generated from the parsers, so it is never behind them."""
    done = cli("completion", shell)
    commands = re.findall(r"^  (\w+) ", cli("--help").out, re.MULTILINE)

    assert (done.status, done.err) == (0, "")
    for word in (*commands, "include-domains", "tavily", "compact", "advanced", "rag_search"):
        assert word in done.out
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=done.out, text=True, check=True)


def test_a_missing_package_names_the_extra(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """`pip install "kensaku-search[completion]"`; the other commands do not need it."""
    monkeypatch.setitem(sys.modules, "shtab", None)
    done = cli("completion", "bash")

    assert done.status == 1
    assert 'pip install "kensaku-search[completion]"' in done.err


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


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes(
    shell: str,
    cli: Cli,
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
    script.write_text(cli("completion", shell).out)
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    complete: Complete = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    offered = {line: complete(script, line, env).rstrip(" ,/") for line, _ in CASES}

    assert offered == dict(CASES)


def test_zsh_completes_every_word_of_an_argument_that_takes_more(cli: Cli) -> None:
    """Not only the first."""
    script = cli("completion", "zsh").out

    assert '"(*)' not in script
    assert '"*:' in script
