"""Start Python child processes that run our code and nothing from the working directory.

    python_command("kensaku.extract.worker.process", "1000") → [executable, "-P", "-m", …]
    child_environment()                                       → the few variables a child needs
    foreign_environment(["SEARXNG_URL"])                      → those of a program that is not ours

`python -m` alone puts the working directory first on the module path, so a `json.py` in a cloned
repository would run there. `-P` prevents that. The environment is an allow-list: it holds no key,
and no variable by which Python or a library loads code. The module path is this process's own,
without the working directory, because a program may have found us by PYTHONPATH.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# The directory that holds `kensaku`. Not by `pathlib`, a file that could be taken from the working
# directory before `drop_working_directory` has run. `os` is frozen into the interpreter.
PACKAGE_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Proxies are left out on purpose: no child talks to the network by itself.
_ALLOWED = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ"),
        *("TMPDIR", "TEMP", "TMP", "XDG_RUNTIME_DIR"),
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),  # where a Python outside /usr has its libraries
        *("SYSTEMROOT", "SYSTEMDRIVE", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),  # Windows
        *("PYTHONHOME", "PYTHONUSERBASE", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"),
        *("OMP_NUM_THREADS", "RAYON_NUM_THREADS"),
    }
)


def python_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs one of our modules in a new interpreter."""
    return [sys.executable, "-P", "-m", module, *arguments]


def child_environment() -> dict[str, str]:
    """Return the environment of a child process."""
    return _allowed() | {"PYTHONPATH": os.pathsep.join(module_path()), "PYTHONUTF8": "1"}


def foreign_environment(names: Iterable[str]) -> dict[str, str]:
    """Return the environment of a program of somebody else, with these variables of ours."""
    base = {n: v for n, v in _allowed().items() if not n.startswith("PYTHON")}
    return base | {n: os.environ[n] for n in names if n in os.environ}


def _allowed() -> dict[str, str]:
    return {n: v for n, v in os.environ.items() if n.upper() in _ALLOWED or n.startswith("LC_")}


def module_path() -> list[str]:
    """Return `sys.path` without the working directory, and with the directory of this package."""
    found = [p for p in sys.path if os.path.isabs(p) and not is_working_directory(p)]
    return found if PACKAGE_ROOT in found else [*found, PACKAGE_ROOT]


def is_working_directory(path: str) -> bool:
    """Tell whether a path is the working directory, by whatever name; "" is, too."""
    try:
        return os.path.samefile(path or ".", ".")
    except OSError:  # one of the two does not exist
        return False


def drop_working_directory() -> None:
    """Take the working directory off `sys.path`, unless this package itself is there.

    For `python -m`: a program's own script is in a directory that its user has chosen.
    """
    sys.path[:] = [p for p in sys.path if p == PACKAGE_ROOT or not is_working_directory(p)]
