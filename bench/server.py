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
    """A server on a free port of this machine, which it gives.

    A socket that does not listen keeps the port until the server has it."""
    if not shutil.which(server):
        sys.exit(f"{server} is not installed; install redis-server, or name another server")
    with socket.socket() as kept, tempfile.TemporaryDirectory() as folder:
        kept.bind(("127.0.0.1", 0))
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        port = kept.getsockname()[1]
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
            wait(port, process)
            yield port
        finally:
            process.terminate()
            process.wait()


def wait(port, process):
    ping = ["redis-cli", "-p", str(port), "PING"]
    while subprocess.run(ping, capture_output=True).returncode != 0:
        if process.poll() is not None:
            sys.exit("the server has ended")
        time.sleep(0.1)


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
