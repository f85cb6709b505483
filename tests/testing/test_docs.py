"""`docs/recording.md` is true: its code records, and replays the same."""

from __future__ import annotations

import os

import pytest

from kensaku.testing import FakeUpstream
from tests.blocks import python_blocks, run_block


@pytest.mark.usefixtures("documentation")
def test_the_code_of_the_page_records_and_replays(tmp_path):
    """Whoever copies it has a recording that needs no network."""
    (block,) = python_blocks("recording.md")
    with FakeUpstream.in_thread() as upstream:
        env = {**os.environ, **upstream.environment("tavily", rate="9999/s")}
        done = run_block(block, {**env, "KENSAKU_HOME": str(tmp_path)}, tmp_path)
        sent = len(upstream.requests)

    assert done.returncode == 0, done.stderr
    assert sent == 1
    assert (tmp_path / "otters.json").is_file()
