"""Which calls of this thread make it wait: sleeps, look-ups, and sockets that block.

A blocked event loop is seen from the outside by a clock alone, and a clock depends on the machine.
The interpreter tells a profiler which function of C is called.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ALWAYS = {("time", "sleep"), ("_socket", "getaddrinfo"), ("_posixsubprocess", "fork_exec")}
_OF_SOCKETS = ("accept", "connect", "recv", "recv_into", "send", "sendall", "do_handshake", "read")


@contextmanager
def blocking_calls() -> Iterator[list[str]]:
    """Give the list of the blocking calls of this thread, as they happen."""
    calls: list[str] = []

    def note(frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call" and _blocks(function):
            calls.append(f"{function.__name__} in {frame.f_code.co_qualname}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def _blocks(function: Any) -> bool:
    if (function.__module__, function.__name__) in _ALWAYS:
        return True
    owner = getattr(function, "__self__", None)
    return (
        function.__name__ in _OF_SOCKETS
        and isinstance(owner, socket.SocketType)
        and owner.gettimeout() != 0
    )
