"""Import the parser libraries of the base install when they are first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from kensaku.errors import ConfigError
from kensaku.messages import msg


def require(module: str) -> Any:
    """Import a library that ships no types; raise `ConfigError` when it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ConfigError(
            msg("{package} is not installed, though Kensaku needs it", package=package),
            remedy=msg("install it with: pip install --force-reinstall kensaku-search"),
        ) from error
