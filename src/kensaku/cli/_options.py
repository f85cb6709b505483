"""Options that all commands share, and the settings they select."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kensaku.config.settings import Settings
from kensaku.errors import ConfigError
from kensaku.messages import msg

# Not the link-local ones: clouds answer there with the keys of the machine.
PRIVATE = (
    *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"),
    *("::1/128", "fc00::/7"),
)

if TYPE_CHECKING:
    from kensaku.config.settings import Settings


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add `--json` and `--config`."""
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--config", type=Path, metavar="FILE", help="read settings from this file")


def add_private_option(parser: argparse.ArgumentParser) -> None:
    """Add `--allow-private`, for commands that read pages."""
    parser.add_argument(
        "--allow-private", action="store_true",
        help="also read pages on this machine and its network, on any port",
    )  # fmt: skip


def load_settings(args: argparse.Namespace, **overrides: Any) -> Settings:
    """Load the settings of `--config`, or of the usual file, and of the environment."""
    settings = Settings.load(args.config, **overrides)
    if settings.home.exists() and not settings.home.is_dir():
        raise ConfigError(
            msg("the home {home} is a file, not a folder", home=settings.home),
            remedy=msg("set KENSAKU_HOME to a directory of yours"),
        )
    if not getattr(args, "allow_private", False):
        return settings
    return replace(settings, fetch_allow=(*settings.fetch_allow, *PRIVATE), fetch_ports=("any",))
