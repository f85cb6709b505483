"""Secrets are in no log, whichever handler writes it."""

from __future__ import annotations

import io
import logging

import pytest

from kensaku import Settings
from kensaku.cli._channel import log_to_stderr
from kensaku.log_redaction import Redaction

KEY = "tvly-CANARY0123456789"


def written(redaction: Redaction, **more: object) -> str:
    """What a plain handler writes of an error whose text holds a key."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(redaction)
    log = logging.Logger("somebody")
    log.addHandler(handler)
    try:
        raise RuntimeError(f"cannot use {KEY}")
    except RuntimeError:
        log.exception("failed with %s", KEY, **more)  # type: ignore[arg-type]
    return stream.getvalue()


def test_tracebacks_are_kept_as_text_without_secrets():
    """For people who read a terminal."""
    text = written(Redaction([KEY], tracebacks=True))

    assert text.startswith("failed with …\nTraceback")
    assert "RuntimeError: cannot use …" in text
    assert "CANARY" not in text


def test_without_tracebacks_the_message_stands_alone():
    """The exception is a field then, for those who write fields."""
    assert written(Redaction([KEY])) == "failed with …\n"


def test_a_record_of_our_own_is_left_as_it_is():
    """It says so itself: nothing in it was written by others."""
    assert KEY in written(Redaction([KEY]), extra={"is_clean": True})


def test_the_log_of_a_bot_holds_no_secret(capsys: pytest.CaptureFixture[str]):
    """`kensaku slack` and `kensaku telegram` write lines, with tracebacks."""
    settings = Settings.load(environ={"TAVILY_API_KEY": KEY})
    with log_to_stderr(settings, "warning"):
        try:
            raise RuntimeError(f"cannot use {KEY}")
        except RuntimeError:
            logging.getLogger("kensaku").exception("failed with %s", KEY)

    said = capsys.readouterr().err
    assert "ERROR kensaku: failed with …" in said
    assert "RuntimeError: cannot use …" in said
    assert "CANARY" not in said
