# SPDX-License-Identifier: BSD-2-Clause
"""limits.py: how long tests wait for what they want to see.

They wait for the state itself: a file, a lock, a line of a log.  Only a dead program
reaches the limit, however slow the machine is.  Tests in JavaScript have theirs in
bindings/js/test/browser/chromium.mjs.
"""
import time

LIMIT_SECONDS = 300


def wait_until(condition, what):
    """Waits until the condition is true and returns its value."""
    end = time.monotonic() + LIMIT_SECONDS
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"still not true after {LIMIT_SECONDS} s: {what}"
        time.sleep(0.02)
