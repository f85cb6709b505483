"""Write the SQL files of `kensaku.compat.chat_server`, from its migrations and its statements.

python scripts/chat_server_sql.py            write them
python scripts/chat_server_sql.py --check    exit 1 when one is not current
"""

from __future__ import annotations

import sys
from pathlib import Path

from kensaku.compat.chat_server.sql_files import FILES

FOLDER = Path(__file__).parents[1] / "src" / "kensaku" / "compat" / "chat_server" / "sql"


def main() -> int:
    """Write or check the files."""
    files = {FOLDER / name: generate() for name, generate in FILES.items()}
    stale = [
        (path, text)
        for path, text in files.items()
        if not path.exists() or path.read_text() != text
    ]
    for path, text in stale:
        if "--check" in sys.argv:
            print(f"{path.name} is not current; run python scripts/chat_server_sql.py")
        else:
            path.write_text(text)
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
