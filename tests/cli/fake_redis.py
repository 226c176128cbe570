#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fake_redis.py: a fake Redis server whose replies a test can set.

    fake_redis.py NAME [RULE...]

The server implements as much of RESP2 as petal push and pull need.  It listens on a free
port of 127.0.0.1, which it writes to NAME.port.  It logs every command except PING to
NAME.log, one per line, with the length instead of a long argument.  PETAL.LOADCHUNK
collects a filter and writes it to NAME.got.  PETAL.DUMP replies from NAME.has.  A rule
"COMMAND FROM TO REPLY" changes the reply to calls FROM to TO - 1 of a command.  REPLY is a
line of RESP, in which PORT is replaced by the port; "close"; or a file to use instead of
NAME.has.
"""
import os
import signal
import socket
import sys

from limits import LIMIT_SECONDS

name, rules = sys.argv[1], [rule.split(" ", 3) for rule in sys.argv[2:]]
calls, load = {}, bytearray()


def bulk(data):
    return b"$%d\r\n%s\r\n" % (len(data), data)


def dump(path, words):
    data = open(path, "rb").read()
    offset, count = (int(words[2]), int(words[3])) if len(words) > 2 else (0, len(data))
    return bulk(data[offset : offset + count])


def load_chunk(words):
    offset, total = int(words[2]), int(words[3])
    if offset == 0:
        load.clear()
    if offset != len(load):
        return b"-ERR no load of this key is in progress; start at offset 0\r\n"
    load.extend(words[4])
    if len(load) == total:
        open(name + ".got", "wb").write(load)
    return b"+OK\r\n"


def answer(words):
    """What to send, nothing to close the connection."""
    command = words[0].decode().upper()
    number = calls[command] = calls.get(command, -1) + 1
    for what, first, end, reply in rules:
        if what == command and int(first) <= number < int(end):
            if os.path.exists(reply):
                return dump(reply, words)
            reply = reply.replace("PORT", str(port))
            return b"" if reply == "close" else reply.encode() + b"\r\n"
    if command == "PETAL.LOADCHUNK":
        return load_chunk(words)
    return dump(name + ".has", words) if command == "PETAL.DUMP" else b"+OK\r\n"


def serve(stream, log):
    while line := stream.readline():
        words = []
        for _ in range(int(line[1:])):
            words.append(stream.read(int(stream.readline()[1:])))
            stream.readline()
        if words != [b"PING"]:
            log.write(
                " ".join(w.decode() if len(w) < 60 else f"<{len(w)}>" for w in words) + "\n"
            )
        reply = answer(words)
        if not reply:
            return
        stream.write(reply)
        stream.flush()


signal.alarm(10 * LIMIT_SECONDS)  # whatever becomes of the test
listening = socket.create_server(("127.0.0.1", 0))
port = listening.getsockname()[1]
with open(name + ".log", "a", buffering=1) as log_file:
    with open(name + ".part", "w") as port_file:
        port_file.write(str(port))
    os.rename(name + ".part", name + ".port")
    while True:
        connection = listening.accept()[0]
        with connection, connection.makefile("rwb") as stream:
            try:
                serve(stream, log_file)
            except ConnectionError:
                pass
