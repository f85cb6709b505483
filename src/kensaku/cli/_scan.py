"""Find the files of a folder that can be indexed, and those that are gone."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from kensaku.extract.html.markup_check import MAX_BYTES

FileStamp = tuple[int, int]  # modification time in ns, and size: a change of either is a new text


def scan_folder(root: Path) -> tuple[dict[Path, FileStamp], Counter[str]]:
    """Return the files to read under a folder, and the number of those skipped, by reason."""
    files: dict[Path, FileStamp] = {}
    skipped: Counter[str] = Counter()
    for parent, folders, names in os.walk(root):
        skipped["hidden"] += sum(name.startswith(".") for name in (*folders, *names))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                path = Path(parent, name)
                stamp, reason = _stamp(path)
                if stamp is None:
                    skipped[reason] += 1
                else:
                    files[path] = stamp
    return files, +skipped


def missing_files(paths: Iterable[Path]) -> list[Path]:
    """Return the files that are empty or no longer exist, but not those that cannot be read now."""
    missing = []
    for path in paths:
        try:
            if path.lstat().st_size == 0:
                missing.append(path)
        except (FileNotFoundError, NotADirectoryError):
            missing.append(path)
        except OSError:
            continue
    return missing


def _stamp(path: Path) -> tuple[FileStamp | None, str]:
    """Return the stamp of a file, or None and the reason to skip it."""
    try:
        status = path.lstat()
    except OSError:
        return None, "unreadable"
    if stat.S_ISLNK(status.st_mode):
        return None, "link"  # it may lead out of the folder
    if not stat.S_ISREG(status.st_mode):
        return None, "special"  # reading a pipe would block
    if not status.st_size:
        return None, "empty"
    if status.st_size > MAX_BYTES:
        return None, "too large"
    return (status.st_mtime_ns, status.st_size), ""
