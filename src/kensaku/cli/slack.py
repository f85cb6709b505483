"""Run the assistant in Slack: it answers mentions in channels, and direct messages.

By default it uses socket mode, which needs no public address: set SLACK_BOT_TOKEN and
SLACK_APP_TOKEN. With --http, Slack sends signed events to /slack/events on that port: set
SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET. KENSAKU_ALLOW_SLACK lists the user ids that may use it, or
* for everyone. By default nobody may; the log shows the ids of people who tried.
"""

from __future__ import annotations

import argparse

from kensaku.cli._channel import add_channel_options, log_to_stderr, run_until_stopped
from kensaku.cli._options import load_settings
from kensaku.cli._terminal import print_message, t

USAGE = "[--http PORT] [options]"
EXTRA = "slack"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the address and the log."""
    add = parser.add_argument
    add("--http", type=int, metavar="PORT",
        help="receive signed events at /slack/events on this port; 0 for any")  # fmt: skip
    add_channel_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Answer until Ctrl-C or SIGTERM; the next start goes on with what is unfinished."""
    from kensaku.assistant.channels.slack import serve_slack

    settings = load_settings(args)
    with log_to_stderr(settings, args.log_level):
        return await run_until_stopped(
            serve_slack(
                settings,
                http=args.http,
                host=args.host,
                ready=lambda where: print_message(t("kensaku slack: {where}", where=where)),
            )
        )
