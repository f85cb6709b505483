"""`kensaku serve` without a key stays on this machine."""

from __future__ import annotations

import pytest

from kensaku.cli import main


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_another_machine_is_refused_without_a_key(host, capsys):
    """Wrong usage, before a port is opened, with what to do."""
    assert main(["serve", "--host", host, "--port", "0"]) == 2

    assert "kensaku keys create" in capsys.readouterr().err
