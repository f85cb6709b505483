"""Answer in Telegram: private chats, and mentions and replies in groups.

TELEGRAM_BOT_TOKEN is the token of the bot. Without options updates are polled, which needs no
public address. With --webhook, Telegram sends them to that port, on any path, with the secret of
TELEGRAM_WEBHOOK_SECRET; --url registers the public https address of that port.
KENSAKU_ALLOW_TELEGRAM lists the ids of the people who may ask; * for everybody. Nobody may at
first, and the log says which id to add.
"""

from __future__ import annotations

import argparse

from kensaku.cli._channel import add_channel_options, log_to_stderr, run_until_stopped
from kensaku.cli._options import load_settings
from kensaku.cli._terminal import print_message

USAGE = "[--webhook PORT] [options]"
EXTRA = "telegram"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the address and the log."""
    add = parser.add_argument
    add("--webhook", type=int, metavar="PORT",
        help="take updates with the secret on this port; 0 for any")  # fmt: skip
    add("--url", metavar="URL", help="register this https address of the port with Telegram")
    add_channel_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Answer until Ctrl-C or SIGTERM; the next start goes on with what is unfinished."""
    from kensaku.assistant.channels.telegram import serve_telegram

    settings = load_settings(args)
    with log_to_stderr(settings, args.log_level):
        return await run_until_stopped(
            serve_telegram(
                settings,
                webhook=args.webhook,
                host=args.host,
                url=args.url,
                ready=lambda where: print_message(f"kensaku telegram: {where}"),
            )
        )
