"""Run the assistant in Telegram: it answers private chats, and mentions and replies in groups.

TELEGRAM_BOT_TOKEN is the token of the bot. By default it polls for updates, which needs no public
address. With --webhook, Telegram sends updates to that port, on any path, with the secret of
TELEGRAM_WEBHOOK_SECRET; --url registers the public https URL of that port. KENSAKU_ALLOW_TELEGRAM
lists the user ids that may use it, or * for everyone. By default nobody may; the log shows the ids
of people who tried.
"""

from __future__ import annotations

import argparse

from kensaku.cli._channel import add_channel_options, log_to_stderr, run_until_stopped
from kensaku.cli._options import load_settings
from kensaku.cli._terminal import print_message, t

USAGE = "[--webhook PORT] [options]"
EXTRA = "telegram"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the address and the log."""
    add = parser.add_argument
    add("--webhook", type=int, metavar="PORT",
        help="receive updates on this port; 0 for any")  # fmt: skip
    add("--url", metavar="URL", help="register this https address of the port with Telegram")
    add_channel_options(parser)


async def run(args: argparse.Namespace) -> int:
    """Run until Ctrl-C or SIGTERM; the next start resumes unfinished runs."""
    from kensaku.assistant.channels.telegram import serve_telegram

    settings = load_settings(args)
    with log_to_stderr(settings, args.log_level):
        return await run_until_stopped(
            serve_telegram(
                settings,
                webhook=args.webhook,
                host=args.host,
                url=args.url,
                ready=lambda where: print_message(t("kensaku telegram: {where}", where=where)),
            )
        )
