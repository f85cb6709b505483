"""A real terminal: `kensaku chat` under tmux, with keys that are pressed and a screen to read."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

PATIENCE = 120.0  # seconds; what takes longer on a busy machine hangs


class Terminal:
    """One window of a tmux server of its own."""

    def __init__(self, folder: Path, env: Mapping[str, str], columns: int, rows: int = 40) -> None:
        from libtmux import Server

        self._folder, self._env = folder, env
        self._server = Server(socket_path=folder / "tmux", config_file=os.devnull)
        session = self._server.new_session(x=columns, y=rows, window_command="sh")
        self._server.cmd("set-option", "-g", "history-limit", "5000")
        self._pane: Any = session.active_pane
        self._pane.send_keys("PS1='$ '; stty -echoctl", enter=True)
        self.wait_for("$")

    def start(self, *words: str) -> None:
        """Start `kensaku` in the window, and wait for its prompt."""
        given = [f"{name}={value}" for name, value in self._env.items()]
        command = ["env", "-i", *given, sys.executable, "-m", "kensaku.cli", *words]
        script = self._folder / "run.sh"
        pid = shlex.quote(str(self._folder / "pid"))
        script.write_text(f"echo $$ > {pid}\nclear\nexec {shlex.join(command)}\n")
        self._pane.send_keys(f"sh {shlex.quote(str(script))}", enter=True)

    def type(self, text: str) -> None:
        """Type a line and press Enter."""
        self._pane.send_keys(text, enter=False, literal=True)
        self.wait_for(text[-8:])  # a prompt takes keys in its own time
        self._pane.send_keys("Enter", enter=False)

    def press(self, key: str) -> None:
        """Press a key, such as C-c."""
        self._pane.send_keys(key, enter=False)

    def kill(self) -> None:
        """Kill what runs in the window, without a chance to say goodbye."""
        os.kill(int((self._folder / "pid").read_text()), signal.SIGKILL)
        self.wait_for("Killed")

    @property
    def screen(self) -> list[str]:
        """The lines, from the oldest."""
        return list(self._pane.capture_pane(start="-") or [])

    @property
    def raw(self) -> str:
        """The lines with the escape sequences that style them."""
        return "\n".join(self._pane.capture_pane(start="-", escape_sequences=True) or [])

    def wait_for(self, words: str, times: int = 1) -> list[str]:
        """Wait until the screen has the words, wrapped or not; return its lines."""
        self.wait_until(lambda: self.flat.count("".join(words.split())) >= times, words)
        return self.screen

    def wait_until(self, condition: Callable[[], bool], about: str) -> None:
        """Wait for something that happens in the other process."""
        end = time.monotonic() + PATIENCE
        while not condition():
            shown = "\n".join(self.screen)
            assert time.monotonic() < end, f"{about!r} does not come; the screen:\n{shown}"
            time.sleep(0.05)

    @property
    def flat(self) -> str:
        """The screen without blanks and line breaks."""
        return "".join("".join(self.screen).split())

    def close(self) -> None:
        """End the server, and with it all that runs in it."""
        self._server.kill()
