# SPDX-License-Identifier: BSD-2-Clause
"""samples.py: one filter of each kind, for tests that apply to all of them.

A kind is chosen by what it can do, never by its name, so a new kind is tested too.
"""
import petal


def options_of(kind):
    """Options with which a filter of this kind takes the keys 0 to 999."""
    for options in ({"capacity": 1000, "fpr": 0.01}, {"bits": 1000}, {}):
        try:
            petal.plan(kind=kind, **options)
        except petal.Error:
            continue
        return options
    raise AssertionError(f"no options for {kind}")


def empty(kind, **more):
    return petal.Filter(kind=kind, **options_of(kind), **more)


def filled(kind, keys=range(100)):
    f = empty(kind)
    f.update(keys)
    f.seal()
    return f


def kinds_that(*abilities):
    return [kind for kind in petal.kinds if empty(kind).abilities >= set(abilities)]
