"""The folder with a person's settings and catalogues: KENSAKU_HOME, or ~/.config/kensaku."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def settings_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder; it may not exist yet."""
    env = os.environ if environ is None else environ
    return Path(env.get("KENSAKU_HOME") or "~/.config/kensaku").expanduser()
