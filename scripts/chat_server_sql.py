"""Write the SQL files of `kensaku.compat.chat_server`, from its migrations and its statements.

A test compares them with what is generated.
"""

from __future__ import annotations

from pathlib import Path

from kensaku.compat.chat_server.sql_files import FILES

FOLDER = Path(__file__).parents[1] / "src" / "kensaku" / "compat" / "chat_server" / "sql"

for name, generate in FILES.items():
    (FOLDER / name).write_text(generate())
