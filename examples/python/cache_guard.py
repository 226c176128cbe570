# SPDX-License-Identifier: BSD-2-Clause
"""cache_guard.py: a filter in front of a cache or a database, for Django, Flask and others.

A lookup in Memcached, Redis or a database takes a round trip, even if there is nothing.
GuardedCache knows every key that was stored through it, and answers "certainly not there"
by itself.

    guarded = GuardedCache(django.core.cache.cache, capacity=1_000_000)
    guarded.set("user:7", user)
    guarded.get("user:8")           # None, without asking the cache

It works with any object that has get(), set() and delete(), such as Django's caches, those
of Flask-Caching and cachelib.  Keys that expire or are deleted stay in the filter until
rebuild(), and cost a round trip, as they did before.

Other programs may store keys too.  Then call guarded.known.update() with them, or share the
filter as a file.  The keyed hash is used, because visitors often choose the keys.
"""
import petal


class GuardedCache:
    def __init__(self, cache, capacity=1_000_000, fpr=0.01, known=None):
        self.cache = cache
        self.known = (
            known if known is not None else petal.Filter(capacity, fpr, hash="keyed")
        )
        self.saved = 0  # round trips

    def get(self, key, default=None, **options):
        if key not in self.known:
            self.saved += 1
            return default
        value = self.cache.get(key, **options)
        return default if value is None else value

    def set(self, key, value, *args, **options):
        self.known.add(key)  # first, so that nobody finds it there and not here
        return self.cache.set(key, value, *args, **options)

    def delete(self, key, **options):
        return self.cache.delete(key, **options)

    def get_or_set(self, key, default, *args, **options):
        value = self.get(key)
        if value is None:
            value = default() if callable(default) else default
            self.set(key, value, *args, **options)
        return value

    def rebuild(self, keys):
        """Forgets keys that are gone: `keys` are those that the cache has now."""
        fresh = self.known.copy()
        fresh.clear()
        fresh.update(keys)
        self.known = fresh
