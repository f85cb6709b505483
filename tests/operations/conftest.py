"""What the pages on operations are tried with: a server, the command line, what stands before it."""

from __future__ import annotations

from tests.cli.conftest import cli as cli
from tests.cli.conftest import env as env
from tests.cli.conftest import up as up
from tests.server.conftest import make_key as make_key
from tests.server.conftest import make_server as make_server
