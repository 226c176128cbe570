# SPDX-License-Identifier: BSD-2-Clause
"""reload_app.py: a web service that looks up keys in a mapped file, and takes a new file
without a restart.

    BLOCKLIST=bad.petal uvicorn reload_app:app --factory --workers 4
    curl 'http://127.0.0.1:8000/check?url=https://www.evil.example/login'

All workers map the same file, so it is in memory once.  To publish a new list, write a new
file with `petal build --force -o bad.petal` or save(): both replace it in one step.  Each
worker notices it within a second and maps the new one; requests that still use the old one
keep it.  A damaged file is not taken: the service goes on with the old one, and says so at
/health.
"""
import os
import time

import petal


class Reloading:
    """The filter in a file, which may be replaced at any time."""

    def __init__(self, path, every=1.0):
        self.path, self.every = path, every
        self.error = self.damaged = None
        self.stamp, self.current, self.next_check = self._stamp(), petal.open(path), 0.0

    def _stamp(self):
        status = os.stat(self.path)
        return status.st_ino, status.st_mtime_ns, status.st_size

    def get(self):
        """The filter of now.  Keep it for one request, not longer."""
        now = time.monotonic()
        if now >= self.next_check:
            self.next_check = now + self.every
            self._look()
        return self.current

    def _look(self):
        try:
            stamp = self._stamp()
            if stamp != self.stamp and stamp != self.damaged:
                self.current = petal.open(self.path)
                self.stamp = stamp
            if stamp != self.damaged:
                self.error = None
        except OSError as error:  # missing for the moment, perhaps
            self.error = str(error)
        except petal.Error as error:  # do not look at this one again
            self.damaged, self.error = stamp, str(error)


def app(path=None, every=1.0):
    from fastapi import FastAPI

    blocklist = Reloading(path or os.environ["BLOCKLIST"], every)
    service = FastAPI()

    @service.get("/check")
    def check(url: str):
        matched = blocklist.get().match(url)
        return {"blocked": matched is not None, "matched": matched}

    @service.get("/health")
    def health():
        return {"keys": len(blocklist.get()), "error": blocklist.error}

    return service
