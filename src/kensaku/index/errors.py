"""What an engine's exception means for the person who meets it.

Qdrant Edge raises bare `Exception`s (and panics, which are `BaseException`s) whose text is all
there is to go by; the texts below were seen with 0.9.0.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from kensaku.errors import IndexFault, KensakuError

_FULL = ("no space left", "file too large", "quota exceeded", "os error 27", "os error 28")
_CLOSED = ("permission denied", "read-only file system", "os error 13", "os error 30")
_NUMBERS = {
    errno.ENOSPC: "os error 28",
    errno.EFBIG: "os error 27",
    errno.EDQUOT: "quota exceeded",
    errno.EACCES: "os error 13",
    errno.EPERM: "os error 13",
    errno.EROFS: "os error 30",
}


def fault(error: BaseException, what: str) -> IndexFault:
    """`error`, as one sentence with a remedy. `what` names the collection or the directory."""
    text = str(error).lower()
    if isinstance(error, OSError) and error.errno is not None:
        text += " " + _NUMBERS.get(error.errno, "")
    if any(sign in text for sign in _FULL):
        return IndexFault(
            f"there is no room left to write {what}",
            remedy="free some space and add again; what was acknowledged is safe",
        )
    if any(sign in text for sign in _CLOSED):
        return IndexFault(f"{what} may not be written", remedy="check who owns the directory")
    if "dimension" in text:
        return IndexFault(
            f"{what} holds vectors of another size",
            remedy="use the embedding model it was made with, or drop it and add again",
        )
    if "wouldblock" in text:
        return IndexFault(f"{what} is open in another process", remedy="close that one first")
    return IndexFault(
        f"{what} cannot be read or written ({type(error).__name__}: {str(error)[:200]})",
        remedy="if it does not open again, drop it and add or import its documents anew",
    )


@contextmanager
def faults(what: str) -> Iterator[None]:
    """Let nothing but errors of ours out."""
    try:
        yield
    except KensakuError:
        raise
    except Exception as error:
        raise fault(error, what) from error
    except BaseException as error:
        # A panic in the engine: derived from BaseException so that nobody swallows it, but one
        # damaged collection must not end an agent.
        if type(error).__name__ != "PanicException":
            raise
        raise fault(error, what) from error
