"""The loggers of this package: a record is one line, whatever a stranger's value holds.

log = get_logger("kensaku.tools"); log.info("query %s", "a\\nINFO forged") → one line

A host application writes our records with its own handlers, so the logger itself escapes them. A
traceback has its own lines.
"""

from __future__ import annotations

import logging
import re

# What ends a line, moves the cursor, or turns the text around.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def get_logger(name: str) -> logging.Logger:
    """Return the logger of this name, whose messages have no control characters."""
    logger = logging.getLogger(name)
    logger.addFilter(_escape)  # adding it again changes nothing
    return logger


def _escape(record: logging.LogRecord) -> bool:
    try:
        message = record.getMessage()
    except Exception:  # arguments that do not fit: the handler says so
        return True
    if _CONTROL.search(message):
        record.msg, record.args = _CONTROL.sub(_escaped, message), None
    return True


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()
