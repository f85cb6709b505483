"""Find the files of a folder that can be indexed, and those that are gone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from kensaku.extract.html.markup_check import MAX_BYTES
from kensaku.messages import msg

FileStamp = tuple[int, int]  # modification time in ns, and size: a change of either is a new text


# Why a file is passed over.
HIDDEN, EXCLUDED, NOT_INCLUDED = msg("hidden"), msg("excluded"), msg("not included")
UNREADABLE, LINK, SPECIAL = msg("unreadable"), msg("link"), msg("special")
EMPTY, TOO_LARGE = msg("empty", context="a file"), msg("too large")
BINARY, NO_TEXT = msg("binary"), msg("without text")


@dataclass(frozen=True, slots=True)
class Patterns:
    """Which files of a folder are wanted: shell patterns for names, or for paths below it."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def excludes(self, relative: str) -> bool:
        """Whether a file or a folder is left out by name."""
        return _matches(relative, self.exclude)

    def wants(self, relative: str) -> bool:
        """Whether a file is wanted."""
        return not self.include or _matches(relative, self.include)


ALL = Patterns()


@dataclass(slots=True)
class Scan:
    """The files to read under a folder, and what was passed over, with the reason."""

    files: dict[Path, FileStamp] = field(default_factory=dict)
    skipped: list[tuple[Path, str]] = field(default_factory=list)


def scan_folder(root: Path, patterns: Patterns = ALL) -> Scan:
    """Return the files to read under a folder."""
    scan = Scan()
    for parent, folders, names in os.walk(root):
        below = Path(parent).relative_to(root)
        kept = []
        for name in sorted(folders):
            if reason := _unwanted(below / name, patterns):
                scan.skipped.append((Path(parent, name), reason))
            else:
                kept.append(name)
        folders[:] = kept
        for name in sorted(names):
            path, relative = Path(parent, name), below / name
            reason = _unwanted(relative, patterns)
            if not reason and not patterns.wants(relative.as_posix()):
                reason = NOT_INCLUDED
            stamp, fault = (None, reason) if reason else _stamp(path)
            if stamp is None:
                scan.skipped.append((path, fault))
            else:
                scan.files[path] = stamp
    return scan


def _unwanted(relative: Path, patterns: Patterns) -> str:
    if relative.name.startswith("."):
        return HIDDEN
    return EXCLUDED if patterns.excludes(relative.as_posix()) else ""


def _matches(relative: str, patterns: tuple[str, ...]) -> bool:
    name = relative.rpartition("/")[2]
    return any(
        fnmatchcase(relative if "/" in pattern else name, pattern.rstrip("/"))
        for pattern in patterns
    )


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
        return None, UNREADABLE
    if stat.S_ISLNK(status.st_mode):
        return None, LINK  # it may lead out of the folder
    if not stat.S_ISREG(status.st_mode):
        return None, SPECIAL  # reading a pipe would block
    if not status.st_size:
        return None, EMPTY
    if status.st_size > MAX_BYTES:
        return None, TOO_LARGE
    return (status.st_mtime_ns, status.st_size), ""
