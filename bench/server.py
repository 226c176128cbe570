# SPDX-License-Identifier: BSD-2-Clause
"""server.py: starts a server with a module for the benchmarks, and talks to it."""
import contextlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time


@contextlib.contextmanager
def started(*module, server="redis-server"):
    """A server on a free port of this machine, which it gives."""
    if not shutil.which(server):
        sys.exit(f"{server} is not installed; install redis-server, or name another server")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [
                server,
                "--port",
                str(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--dir",
                folder,
                "--loadmodule",
                *module,
            ],
            stdout=subprocess.DEVNULL,
        )
        try:
            wait(port)
            yield port
        finally:
            process.terminate()
            process.wait()


def wait(port):
    for _ in range(100):
        if (
            subprocess.run(
                ["redis-cli", "-p", str(port), "PING"], capture_output=True
            ).returncode
            == 0
        ):
            return
        time.sleep(0.1)
    sys.exit("the server does not respond")


def command(port, *words):
    return subprocess.run(
        ["redis-cli", "-p", str(port), *map(str, words)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def used(port):
    return int(re.search(r"used_memory:(\d+)", command(port, "INFO", "memory")).group(1))


def encode(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)
