"""Write `src/kensaku/config/arguments.py`: the settings as keyword arguments, typed.

    python scripts/settings_options.py            write it
    python scripts/settings_options.py --check    exit 1 when it is not current

Editors and type checkers complete `Kensaku(cache_ttl=…)` from it (PEP 692).
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SETTINGS = ROOT / "src" / "kensaku" / "config" / "settings.py"
WRITTEN = SETTINGS.with_name("arguments.py")
NOT_ARGUMENTS = ("providers", "origins")
# What a setting is, and what may be given for it.
ACCEPTED = {
    "Path": "str | Path",
    "tuple[str, ...]": "str | Iterable[str]",
    "Secret | None": "str | Secret | None",
    "HostHeaders": "Mapping[str, Mapping[str, str | Secret]]",
}
HEAD = '''"""The settings as keyword arguments. Written by scripts/settings_options.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from pathlib import Path

    from kensaku.config.secret import Secret
    from kensaku.config.settings import (
        {names},
    )


class SettingsOptions(TypedDict, total=False):
    """`Kensaku(route=["tavily", "local"], cache_ttl=60)`."""

'''


def main() -> int:
    text = written()
    if "--check" in sys.argv:
        return 0 if WRITTEN.exists() and WRITTEN.read_text(encoding="utf-8") == text else 1
    WRITTEN.write_text(text, encoding="utf-8")
    return 0


def written() -> str:
    """The whole file."""
    tree = ast.parse(SETTINGS.read_text(encoding="utf-8"))
    settings = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Settings")
    fields = {
        ast.unparse(n.target): ast.unparse(n.annotation)
        for n in settings.body
        if isinstance(n, ast.AnnAssign)
    }
    choices = {ast.unparse(n.targets[0]) for n in tree.body if isinstance(n, ast.Assign)}
    names = sorted(choices & set(fields.values()))
    lines = [
        f"    {name}: {ACCEPTED.get(kind, kind)}\n"
        for name, kind in fields.items()
        if name not in NOT_ARGUMENTS
    ]
    return HEAD.replace("{names}", ",\n        ".join(names)) + "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
