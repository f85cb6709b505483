"""Options that all commands share, and the settings they select."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kensaku.config.settings import Settings


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add `--json` and `--config`."""
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--config", type=Path, metavar="FILE", help="read settings from this file")


def load_settings(args: argparse.Namespace, **overrides: Any) -> Settings:
    """Load the settings of `--config`, or of the usual file, and of the environment."""
    from kensaku.config.settings import Settings

    return Settings.load(args.config, **overrides)
