#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""footer.py: makes a DuckDB extension of a shared library.

    footer.py LIBRARY EXTENSION VERSION API-VERSION PLATFORM

DuckDB reads the last 512 bytes of an extension before it loads it: eight fields of 32
bytes, the last of which comes first in its documentation, and room for a signature, which
stays empty.
"""
import sys

library, extension, version, api, platform = sys.argv[1:]
fields = ["", "", "", "C_STRUCT", version, api, platform, "4"]
with open(library, "rb") as file:
    code = file.read()
with open(extension, "wb") as file:
    file.write(
        code + b"".join(field.encode().ljust(32, b"\0") for field in fields) + bytes(256)
    )
