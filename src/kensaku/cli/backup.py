"""Copy the home to a new folder, while servers and other programs use it.

The copy has the keys, usage, conversations, jobs, limits, documents with their vectors, and the
settings file; the response cache is left out. It is a home itself: to restore it, stop everything
that uses the home and put the copy in its place. What is kept elsewhere, in PostgreSQL, Valkey or
Qdrant, is not in it, and the command says so.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kensaku.cli._addresses import output_path
from kensaku.cli._client import open_client
from kensaku.cli._options import add_common_options, load_settings
from kensaku.cli._terminal import print_json, print_message, print_result, t
from kensaku.errors import KensakuError, UsageError
from kensaku.messages import msg
from kensaku.text.redact import mask_url

if TYPE_CHECKING:
    from kensaku.config.settings import Settings

USAGE = "[options] FOLDER"
LOCK_SECONDS = 30.0  # for which a write of somebody else may delay the copy of a database
INDEX, CACHE = "index", "cache.sqlite"
DATABASES = (".db", ".sqlite")


class BackupFault(KensakuError):
    """The copy could not be made; nothing of it is left."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder."""
    parser.add_argument("folder", metavar="FOLDER", help="folder to write; it must not exist yet")
    add_common_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Copy to a folder beside the one that is asked for, which then gets its name."""
    settings = replace(load_settings(args), tenant="")  # the operator's: all tenants
    folder = output_path(args.folder).absolute()
    if not settings.home.is_dir():
        raise UsageError(msg("there is nothing to copy: {home} is no folder", home=settings.home))
    if folder.is_relative_to(settings.home.absolute()):
        raise UsageError(
            msg("the folder is inside the home"), remedy=msg("choose one outside of it")
        )
    partial = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        partial.mkdir(mode=0o700)
        await asyncio.to_thread(_copy_files, settings.home, partial)
        if (settings.home / INDEX / "collections").is_dir():
            async with open_client(settings) as k:
                await k.index.snapshot(partial / INDEX)
        partial.rename(folder)
    except OSError as error:
        raise BackupFault(msg("the copy could not be made: {error}", error=error)) from None
    finally:
        await asyncio.to_thread(shutil.rmtree, partial, ignore_errors=True)
    missing = list(_elsewhere(settings))
    for what in missing:
        print_message(t("not in the copy: {what}", what=what))
    if args.json:
        print_json({"folder": str(folder), "missing": missing})
    else:
        print_result(t("{home} was copied to {folder}", home=settings.home, folder=folder))
    return 0


def _copy_files(home: Path, target: Path) -> None:
    """Copy all but the index and the cache; a database as it is between two transactions."""
    for entry in sorted(home.iterdir()):
        if entry.name == INDEX or entry.name.startswith(CACHE) or entry.is_symlink():
            continue
        if entry.is_dir():
            shutil.copytree(entry, target / entry.name, symlinks=True)
        elif entry.suffix in DATABASES:
            _copy_database(entry, target / entry.name)
        elif entry.is_file() and not entry.suffix.startswith(DATABASES):  # as journals do
            shutil.copy2(entry, target / entry.name)


def _copy_database(source: Path, target: Path) -> None:
    """Raises `BackupFault`."""
    target.touch(mode=0o600)
    with (
        closing(sqlite3.connect(source, timeout=LOCK_SECONDS)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        try:
            old.backup(new)
            (found,) = new.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.Error as error:
            found = str(error)
        if found != "ok":
            raise BackupFault(
                msg("{source} cannot be copied: {found}", source=source.name, found=found)
            )


def _elsewhere(settings: Settings) -> list[str]:
    """What the settings keep outside of the home."""
    places = {
        "keys, usage, conversations and jobs": settings.database_url,
        "limits and budgets": "" if settings.state_url == "memory:" else settings.state_url,
        "documents": settings.index_url,
    }
    return [f"{what}, in {mask_url(url)}" for what, url in places.items() if url]
