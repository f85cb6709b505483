"""Begin a provider, a wire, a channel or a command: its files, its rows, its tests.

    python scripts/new provider acme      (make new kind=provider name=acme)

What is written works, and its tests pass: change it step by step into what you need. The provider
is the example of docs/adding-a-provider.md; the others are the files beside this one. kinds.toml
says what belongs to each. Generated files (documentation, settings, golden files) follow at once.
"""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT, HERE = Path(__file__).parents[2], Path(__file__).parent
KINDS: dict[str, Any] = tomllib.loads((HERE / "kinds.toml").read_text(encoding="utf-8"))
NAME = re.compile(r"[a-z][a-z0-9_]{1,30}")


def named(text: str, name: str) -> str:
    """Put a name in the place of the example's."""
    title = "".join(part.capitalize() for part in name.split("_"))
    return text.replace("acme", name).replace("ACME", name.upper()).replace("Acme", title)


def template(kind: dict[str, Any], key: str) -> str:
    """Return the text of a new file: a block of the guide, or a file beside this one."""
    if "guide" not in kind:
        return (HERE / f"{key}.py.txt").read_text(encoding="utf-8")
    guide = (ROOT / kind["guide"]).read_text(encoding="utf-8")
    found = re.search(rf"^```{key}\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)
    if found is None:
        raise SystemExit(f"{kind['guide']} has no {key} block")
    return found[1]


def write(kind: dict[str, Any], name: str) -> list[str]:
    """Write the files and rows; return the paths that have changed. Nothing is overwritten."""
    new = {named(path, name): template(kind, key) for key, path in kind["files"].items()}
    for path in new:
        if (ROOT / path).exists():
            raise SystemExit(f"{path} is there already: choose another name")
    for path, text in new.items():
        (ROOT / path).write_text(named(text, name), encoding="utf-8")
    for path, before, row in kind["rows"]:
        text = (ROOT / path).read_text(encoding="utf-8")
        if before not in text:
            raise SystemExit(f"{path} has no line that begins with {before!r}")
        line = named(row.strip("\n"), name) + "\n"
        (ROOT / path).write_text(text.replace(before, line + before, 1), encoding="utf-8")
    return [*new, *dict.fromkeys(path for path, _, _ in kind["rows"])]


def main(words: list[str]) -> None:
    """Write, generate, and say what to do next."""
    if len(words) != 2 or words[0] not in KINDS:
        raise SystemExit(f"usage: make new kind={'|'.join(KINDS)} name=x")
    kind, name = KINDS[words[0]], words[1]
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise SystemExit(f"{name!r} is no name for a module: write lower case, digits and _")
    written = write(kind, name)
    print(*(f"wrote {path}" for path in written), sep="\n", flush=True)
    code = " ".join(path for path in written if path.endswith(".py"))
    for command in (
        f"-m ruff check --select I --fix -q {code}",
        f"-m ruff format -q {code}",
        *kind["run"],
    ):
        subprocess.run([sys.executable, *command.split()], cwd=ROOT, check=True)
    print("\nNow change them into what you need. These tests pass as it is:")
    for test in kind["tests"]:
        print(f'  make test args="{named(test, name)}"')


if __name__ == "__main__":
    main(sys.argv[1:])
