# SPDX-License-Identifier: BSD-2-Clause
"""redis_filters.py: move filters between Python and a Redis or Valkey server, with
redis-py.

    client = redis.Redis()
    push(client, "bad", petal.open("bad.petal"))        # replaces the key in one step
    f = pull(client, "bad")                 # a filter in memory, with what was added since

A large set can be split into shards, one filter per key name, as `petal shard` does.  The
key itself says which shard it is in:

    shards = Shards(client, "bad:{%d}", 64)
    shards.contains("evil.example")
    shards.contains_many(hosts)                         # one round trip for all

The server needs petal's module.
"""
import petal

CHUNK = 8 << 20  # the server takes up to 16 MiB at once

_shard_hash = petal.Filter(1, seed=0x7368617264)  # "shard": the seed of `petal shard`


def push(client, name, f):
    """Loads a filter into the server.  Clients see the old one until the whole has
    arrived."""
    with memoryview(f) as image:
        for at in range(0, len(image), CHUNK):
            client.execute_command(
                "PETAL.LOADCHUNK", name, at, len(image), bytes(image[at : at + CHUNK])
            )


def pull(client, name):
    """A copy of the server's filter."""
    image = bytearray()
    while True:
        part = client.execute_command("PETAL.DUMP", name, len(image), CHUNK)
        image += part
        if len(part) < CHUNK:
            return petal.view(image, copy=True)


def shard_of(key, n):
    """The shard of a key, from 0 to n - 1."""
    return _shard_hash.hash(key) * n >> 64


class Shards:
    """A set in n filters; `name` has a %d for the number.  Braces around it spread them
    over a cluster."""

    def __init__(self, client, name, n):
        self.client, self.name, self.n = client, name, n

    def name_of(self, key):
        return self.name % shard_of(key, self.n)

    def contains(self, key):
        return bool(self.client.execute_command("PETAL.EXISTS", self.name_of(key), key)[0])

    def contains_many(self, keys):
        pipe = self.client.pipeline(transaction=False)
        for key in keys:
            pipe.execute_command("PETAL.EXISTS", self.name_of(key), key)
        return [bool(reply[0]) for reply in pipe.execute()]
