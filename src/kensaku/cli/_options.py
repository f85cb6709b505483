"""What several commands take, and the settings they come to."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kensaku.config.settings import Settings


def add_common(parser: argparse.ArgumentParser) -> None:
    """`--json` and `--config`."""
    parser.add_argument("--json", action="store_true", help="print JSON, for machines")
    parser.add_argument("--config", type=Path, metavar="FILE", help="take settings from this file")


def settings_of(args: argparse.Namespace, **more: Any) -> Settings:
    """The settings that a command runs with."""
    from kensaku.config.settings import Settings

    return Settings.load(args.config, **more)
