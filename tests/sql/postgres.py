# SPDX-License-Identifier: BSD-2-Clause
"""postgres.py: a PostgreSQL server of one's own, for tests and benchmarks.

CREATE EXTENSION looks only in the folders of the server's installation, which the tests
leave alone.  But a server finds these folders relative to its program.  So the programs are
copied to a temporary folder, beside links to everything else and the files of the
extension.  The server runs as a user other than root, listens on a socket in that folder,
and is stopped by its own process id.
"""
import contextlib
import os
import pathlib
import pwd
import resource
import shutil
import signal
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from limits import (
    LIMIT_SECONDS,
    wait_until,
)

PROGRAMS = ("postgres", "initdb", "pg_ctl", "psql")


def asked(config, what):
    return pathlib.Path(
        subprocess.run(
            [config, f"--{what}"], capture_output=True, text=True, check=True
        ).stdout.strip()
    )


def other_user():
    """Whom the server runs as: root may not."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise RuntimeError("no user for the server")


class Server:
    """A server in `folder` with the extension of `module` (petal.so) and `files` (control
    and SQL files)."""

    port = 5432  # only the name of its socket

    def __init__(
        self, folder, config, module, files, encoding="UTF8", limit=None, **settings
    ):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.user = other_user()
        self.bin = self.install(config, module, files)
        self.data = self.folder / "data"
        self.sockets = self.folder / "s"
        for made in (self.data, self.sockets):
            made.mkdir()
            if self.user:
                os.chown(made, self.user["user"], self.user["group"])
            made.chmod(0o700 if made == self.data else 0o755)
        self.environment = {
            **os.environ,
            "LC_ALL": "C",
            "TZ": "UTC",
            "HOME": str(self.folder),
        }
        self.run(
            self.bin / "initdb",
            "-D",
            self.data,
            "-U",
            "tester",
            "-A",
            "trust",
            "-N",
            "-E",
            encoding,
            "--locale=C",
        )
        with open(self.data / "postgresql.conf", "a") as file:
            wanted = {
                "port": self.port,
                "listen_addresses": "''",
                "fsync": "off",
                "unix_socket_directories": f"'{self.sockets}'",
                "max_wal_size": "'4GB'",
                "autovacuum": "off",
                **settings,
            }
            file.writelines(f"{name} = {value}\n" for name, value in wanted.items())
        self.start(limit)

    def install(self, config, module, files):
        """Makes a copy of the installation, and returns the folder of its programs."""
        os.chmod(self.folder, 0o755)
        bindir, libdir, share = (
            asked(config, what) for what in ("bindir", "pkglibdir", "sharedir")
        )
        common = pathlib.Path(os.path.commonpath([bindir, libdir, share]))
        places = {
            old: self.folder / "root" / old.relative_to(common)
            for old in (bindir, libdir, share)
        }
        for new in places.values():
            new.mkdir(parents=True)
        for name in PROGRAMS:
            shutil.copy(bindir / name, places[bindir])
        for old in libdir.iterdir():
            if old.name != "petal.so" and not (places[libdir] / old.name).exists():
                (places[libdir] / old.name).symlink_to(old)
        shutil.copy(module, places[libdir] / "petal.so")
        for old in share.iterdir():
            if old.name != "extension":
                (places[share] / old.name).symlink_to(old)
        extension = places[share] / "extension"
        extension.mkdir()
        for old in (share / "extension").iterdir():
            if not old.name.startswith("petal"):
                (extension / old.name).symlink_to(old)
        for file in files:
            shutil.copy(file, extension)
        return places[bindir]

    def run(self, *command, **how):
        return subprocess.run(
            list(map(str, command)),
            check=True,
            capture_output=True,
            text=True,
            cwd="/",
            env=self.environment,
            **self.user,
            **how,
        )

    def start(self, limit=None):
        """Starts it, with at most `limit` bytes of memory for each process."""
        self.log = open(self.folder / "log", "a")
        self.process = subprocess.Popen(
            [self.bin / "postgres", "-D", self.data],
            cwd="/",
            stdout=self.log,
            stderr=self.log,
            env=self.environment,
            **self.user,
            preexec_fn=limit
            and (lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))),
        )

        def answers():
            if self.process.poll() is not None:
                raise RuntimeError(
                    "the server does not start:\n" + (self.folder / "log").read_text()
                )
            return self.psql("SELECT 1", database="postgres", check=False).returncode == 0

        wait_until(answers, f"the server answers; see {self.folder}/log")

    def psql(
        self, script, database="test", check=True, options=("-qAt",), user="tester", **how
    ):
        """Runs a script and returns the finished process."""
        stopping = ("-v", "ON_ERROR_STOP=1") if check else ()
        environment = {
            **os.environ,
            "PGHOST": str(self.sockets),
            "PGPORT": str(self.port),
            "PGUSER": user,
            "PGDATABASE": database,
            "PGCLIENTENCODING": "UTF8",
        }
        done = subprocess.run(
            [self.bin / "psql", "-X", *options, *stopping, "-f", "-"],
            input=script,
            text=True,
            capture_output=True,
            env=environment,
            check=False,
            **how,
        )
        if check and done.returncode:
            raise RuntimeError(done.stderr)
        return done

    def lines(self, script, **how):
        return self.psql(script, **how).stdout.splitlines()

    def one(self, script, **how):
        said = self.psql(script, **how).stdout.rstrip("\n")
        return said

    def refused(self, script, **how):
        done = self.psql(script, check=False, **how)
        assert "ERROR:" in done.stderr, done.stdout + done.stderr
        return done.stderr

    def stop(self):
        self.process.send_signal(signal.SIGINT)  # fast: ends sessions
        status = self.process.wait(timeout=LIMIT_SECONDS)
        self.log.close()
        return status
