"""A stranger's value in a log: it cannot make a line of its own."""

from __future__ import annotations

import io
import logging
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kensaku._logger import get_logger
from tests import ROOT


@given(value=st.text(), arguments=st.booleans())
def test_a_record_is_one_line(value, arguments):
    """As text, inside of a mapping, or in the message itself."""
    stream = io.StringIO()
    log, handler = get_logger("kensaku.tests"), logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    try:
        if arguments:
            log.info("asked %s and %s", value, {"query": value})
        else:
            log.info(value)
    finally:
        log.removeHandler(handler)

    written = stream.getvalue()
    assert len(written.splitlines()) == 1
    assert written.startswith("INFO ")
    assert "\x1b" not in written


def test_arguments_that_do_not_fit_are_left_to_the_handler():
    """Logging never raises into the work."""
    record = logging.LogRecord("kensaku.x", logging.INFO, "x", 1, "%d %d", ("a",), None)

    assert get_logger("kensaku.x").filter(record)
    with pytest.raises(TypeError):
        record.getMessage()


def test_every_logger_of_ours_is_made_so():
    """`server/logs.py` writes JSON, and its line of a request holds nothing of a stranger's."""
    own = re.compile(r"^_?log(?:ger)? = logging\.getLogger", re.MULTILINE)
    sources = (ROOT / "src" / "kensaku").rglob("*.py")

    assert [p.name for p in sources if own.search(p.read_text("utf-8"))] == ["logs.py"]
