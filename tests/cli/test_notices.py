"""The notice about keyless services names the hosts that really see the queries."""

from __future__ import annotations

from kensaku import Kensaku, Settings
from kensaku.cli._notices import KeylessNotice


async def test_the_notice_names_the_hosts_that_are_asked(tmp_path, capsys):
    """You.com's keyless host is not its base URL, and Wikipedia's follows the language."""
    async with Kensaku(Settings.load(environ={"KENSAKU_HOME": str(tmp_path)})) as k:
        KeylessNotice(k, None).print_before()

    words = capsys.readouterr().err
    assert "api.you.com" in words
    assert "*.wikipedia.org" in words
    assert "ydc-index.io" not in words
