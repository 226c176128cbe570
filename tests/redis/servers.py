# SPDX-License-Identifier: BSD-2-Clause
"""servers.py: starts real servers with the module, on free ports of 127.0.0.1.

The environment says what to run: PETAL_MODULE (petal.so), PETAL (the command),
PETAL_SERVER (redis-server or valkey-server), PETAL_PRELOAD (the runtime of a sanitizer).
"""
import os
import pathlib
import signal
import socket
import subprocess
import sys

import redis

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from limits import (
    LIMIT_SECONDS,
    wait_until,
)

MODULE = os.environ["PETAL_MODULE"]
COMMAND = os.environ["PETAL"]
SERVER = os.environ.get("PETAL_SERVER", "redis-server")
PRELOAD = os.environ.get("PETAL_PRELOAD")
VERSION = subprocess.run(
    [SERVER, "--version"], capture_output=True, text=True, check=True
).stdout
VALKEY = "alkey" in VERSION
DEBUG = () if "v=6." in VERSION else ("--enable-debug-command", "yes")


def kept_port(port=0):
    """A socket that keeps a free port, or this one, for a server that a test starts.  As
    long as it is open no other program gets the port, not even while the server is stopped.
    It does not listen, so connections are refused."""
    s = socket.socket()
    try:
        s.bind(("127.0.0.1", port))
    except OSError:
        s.close()
        raise
    s.setsockopt(
        socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
    )  # as servers do: they may listen beside it
    return s


def info_of(r, key, word):
    """One field of BF.INFO.  Redis puts it into an array, Valkey does not."""
    reply = r.execute_command("BF.INFO", key, word)
    assert isinstance(reply, list) != VALKEY, reply
    return reply if VALKEY else reply[0]


class Wire:
    """A connection that returns replies as raw bytes."""

    def __init__(self, port, protocol=2):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_SECONDS)
        self.file = self.socket.makefile("rb")
        if protocol == 3:
            self("HELLO", "3")

    def __call__(self, *words):
        parts = [w if isinstance(w, bytes) else str(w).encode() for w in words]
        self.socket.sendall(
            b"*%d\r\n" % len(parts)
            + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)
        )
        return self.reply()

    def reply(self):
        line = self.file.readline()
        kind, rest = line[:1], line[1:].strip()
        if kind in b"$=" and rest != b"-1":
            return line + self.file.read(int(rest) + 2)
        if kind in b"*%~>":
            n = int(rest) * (2 if kind == b"%" else 1)
            return line + b"".join(self.reply() for _ in range(n))
        return line

    def close(self):
        self.file.close()
        self.socket.close()


class Server:
    """A server with its own folder, port and process."""

    def __init__(self, folder, *options, module_arguments=(), module=True):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.kept = self.keep_port()
        self.port = self.kept[0].getsockname()[1]
        self.options = options
        self.module = ("--loadmodule", MODULE, *module_arguments) if module else ()
        self.process = None
        self.start()

    def keep_port(self):
        """Sockets that keep the server's ports.  The first one is the port for clients."""
        return [kept_port()]

    def command(self):
        return [
            SERVER,
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
            "--dir",
            str(self.folder),
            "--save",
            "",
            "--databases",
            "32",
            "--repl-diskless-sync-delay",
            "0",
            "--repl-timeout",
            str(LIMIT_SECONDS),
            *DEBUG,
            *self.module,
            *self.options,
        ]

    def start(self, wait=True):
        environment = dict(os.environ)
        if PRELOAD:
            environment.update(
                LD_PRELOAD=PRELOAD,
                ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1",
            )
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                self.command(),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env=environment,
            )
        try:
            if wait:
                wait_until(self.answers, f"{self.command()}\n{self.log()}")
        except BaseException:
            self.kill()
            raise
        return self

    def answers(self):
        assert self.process.poll() is None, self.log()
        try:
            return self.client().ping()
        except (redis.ConnectionError, redis.exceptions.BusyLoadingError):
            return False

    def client(self, **options):
        return redis.Redis(
            host="127.0.0.1", port=self.port, socket_timeout=LIMIT_SECONDS, **options
        )

    def wire(self, protocol=2):
        return Wire(self.port, protocol)

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def kill(self):
        """Kills the server without warning, as a power failure would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=LIMIT_SECONDS)

    def restart(self):
        self.stop()
        return self.start()

    def lives(self):
        """Does the process that was started still answer?"""
        return self.process.poll() is None and self.client().ping()
