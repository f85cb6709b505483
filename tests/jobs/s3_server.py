"""Moto's S3 on a free port of loopback, with the files of a folder in the bucket `otters`.

    python s3_server.py FOLDER

It prints its address when it is ready, and ends with its standard input. It runs in the
environment that `make test-s3` builds.
"""

from __future__ import annotations

import sys
from pathlib import Path

import boto3  # type: ignore[import-not-found]
from moto.server import ThreadedMotoServer  # type: ignore[import-not-found]


def main(folder: Path) -> None:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    s3 = boto3.client("s3", endpoint_url=url, region_name="us-east-1")
    s3.create_bucket(Bucket="otters")
    for file in sorted(folder.iterdir()):
        s3.upload_file(str(file), "otters", f"docs/{file.name}")
    print(url, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
