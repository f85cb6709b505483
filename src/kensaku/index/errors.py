"""Translate an engine's exceptions to `IndexFault`: one sentence and a remedy.

Qdrant Edge raises bare `Exception`s (and panics, which are `BaseException`s) whose text is all
there is to go by; the texts below were seen with 0.9.0.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from kensaku.errors import IndexFault, KensakuError
from kensaku.messages import msg

RECOVERY = msg(
    "save what can be read with `kensaku index export FILE --collection NAME --salvage`; then drop"
    " the collection and import FILE, or add its documents again"
)
_DISK_FULL = ("no space left", "file too large", "quota exceeded", "os error 27", "os error 28")
_NOT_WRITABLE = ("permission denied", "read-only file system", "os error 13", "os error 30")
_ERRNO_TEXTS = {
    errno.ENOSPC: "os error 28",
    errno.EFBIG: "os error 27",
    errno.EDQUOT: "quota exceeded",
    errno.EACCES: "os error 13",
    errno.EPERM: "os error 13",
    errno.EROFS: "os error 30",
    errno.ENOTDIR: "os error 30",
    errno.ENOENT: "os error 30",
}


def to_index_fault(error: BaseException, what: str) -> IndexFault:
    """Return `error` as a sentence with a remedy. `what` names the collection or the directory."""
    text = str(error).lower()
    if isinstance(error, OSError) and error.errno is not None:
        text += " " + _ERRNO_TEXTS.get(error.errno, "")
    if any(sign in text for sign in _DISK_FULL):
        return IndexFault(
            msg("there is no room left to write {what}", what=what),
            remedy=msg("free some space and add again; what was acknowledged is safe"),
        )
    if any(sign in text for sign in _NOT_WRITABLE):
        return IndexFault(
            msg("{what} may not be written", what=what),
            remedy=msg("check the directory, and who owns it"),
        )
    if "dimension" in text:
        return IndexFault(
            msg("{what} holds vectors of another size", what=what),
            remedy=msg("use the embedding model it was made with, or drop it and add again"),
        )
    if "wouldblock" in text:
        return IndexFault(
            msg("{what} is open in another process", what=what), remedy=msg("close that one first")
        )
    return IndexFault(
        msg(
            "{what} cannot be read or written ({name}: {error})",
            what=what,
            name=type(error).__name__,
            error=str(error)[:200],
        ),
        remedy=RECOVERY,
    )


def damage_fault(collection: str, what: str) -> IndexFault:
    """Return the error of a collection that has lost a part of itself."""
    return IndexFault(
        msg("collection {collection!r} is damaged: {what}", collection=collection, what=what),
        remedy=RECOVERY,
    )


@contextmanager
def translate_errors(what: str) -> Iterator[None]:
    """Raise every exception of the block as an error of ours."""
    try:
        yield
    except KensakuError:
        raise
    except Exception as error:
        raise to_index_fault(error, what) from error
    except BaseException as error:
        # A panic in the engine derives from BaseException so that nobody swallows it. But one
        # damaged collection must not end the program.
        if type(error).__name__ != "PanicException":
            raise
        raise to_index_fault(error, what) from error
