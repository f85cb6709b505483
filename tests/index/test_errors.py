"""What the engine says becomes one sentence with a remedy."""

from __future__ import annotations

import errno

import pytest

from kensaku.errors import IndexFault, InvalidQuery
from kensaku.index.errors import RECOVERY, translate_errors

ROOM = (
    "there is no room left to write it",
    "free some space and add again; what was acknowledged is safe",
)
OWNER = ("it may not be written", "check the directory, and who owns it")


class PanicException(BaseException):
    """As the engine raises it."""


@pytest.mark.parametrize(
    ("error", "message", "remedy"),
    [
        (Exception("No space left on device"), *ROOM),
        (Exception("IO: File too large"), *ROOM),
        (Exception("(os error 27)"), *ROOM),
        (OSError(errno.ENOSPC, "x"), *ROOM),
        (Exception("Permission denied"), *OWNER),
        (OSError(errno.EACCES, "x"), *OWNER),
        (Exception("wrong Dimension 3"), "it holds vectors of another size",
         "use the embedding model it was made with, or drop it and add again"),
        (Exception("WouldBlock"), "it is open in another process", "close that one first"),
        (ValueError("x" * 201), f"it cannot be read or written (ValueError: {'x' * 200})", RECOVERY),
        (OSError(errno.EIO, "bad"), "it cannot be read or written (OSError: [Errno 5] bad)", RECOVERY),
    ],
)  # fmt: skip
def test_an_error_is_a_sentence_with_a_remedy(error: Exception, message: str, remedy: str) -> None:
    """By the words of the engine, or by the number of the system."""
    with pytest.raises(IndexFault) as caught, translate_errors("it"):
        raise error
    assert (caught.value.message, caught.value.remedy) == (message, remedy)
    assert caught.value.__cause__ is error


def test_a_panic_of_the_engine_does_not_end_the_program() -> None:
    """What else ends it does; errors of ours pass as they are."""
    with pytest.raises(IndexFault, match="PanicException: gone"), translate_errors("it"):
        raise PanicException("gone")
    for error in (InvalidQuery("ours"), KeyboardInterrupt()):
        with pytest.raises(type(error)) as caught, translate_errors("it"):
            raise error
        assert caught.value is error
