"""Start the MCP server of Kensaku: the entry point of the bundle."""

import os
import sys

from kensaku.cli import main

# A field that the user left empty may arrive as the name of its variable.
for name, value in list(os.environ.items()):
    if value.startswith("${user_config."):
        del os.environ[name]

sys.exit(main(["mcp"]))
