# SPDX-License-Identifier: BSD-2-Clause
"""Many threads, and many processes."""
import gc
import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import shared_memory

import petal
import pytest
from samples import kinds_that

THREADS, EACH = 8, 20_000


def run(*functions):
    """Runs the functions at once.  An exception of any of them is raised here."""
    barrier = threading.Barrier(len(functions))

    def start(function):
        barrier.wait()
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return [
            future.result()
            for future in [pool.submit(start, function) for function in functions]
        ]


@pytest.mark.parametrize("kind", sorted(set(petal.kinds) - set(kinds_that("exact"))))
def test_no_key_is_lost_when_threads_add(kind):
    f = petal.Filter(kind=kind, capacity=THREADS * EACH, fpr=0.01)

    def singly(t):
        return lambda: [f.add(f"{t}-{i}") for i in range(EACH // 4)]

    def in_batches(t):
        return lambda: [
            f.update([f"{t}-{i}" for i in range(at, at + 1000)])
            for at in range(0, EACH, 1000)
        ]

    run(*[(singly if t % 2 else in_batches)(t) for t in range(THREADS)])
    if "static" in f.abilities:
        f.seal()
    for t in range(THREADS):
        assert all(
            f.contains_many([f"{t}-{i}" for i in range(EACH // 4 if t % 2 else EACH)])
        )


def test_readers_beside_writers():
    """Readers always find what was there before; batches and single lookups, copies and
    merges."""
    f = petal.Filter(capacity=400_000, fpr=0.01)
    f.update(range(10_000))
    known = list(range(10_000))
    other = petal.Filter(capacity=400_000, fpr=0.01)
    other.update(range(1_000_000, 1_010_000))
    done = threading.Event()

    def write():
        try:
            for at in range(10_000, 200_000, 10_000):
                f.update(range(at, at + 10_000))
        finally:
            done.set()

    def read():
        while not done.is_set():
            assert all(f.contains_many(known, threads=2))
            assert all(i in f for i in known[:500])

    def copy():
        while not done.is_set():
            g = f.copy()
            assert all(g.contains_many(known))
            g |= f
            assert len(g) and g.info.writable
            len(f), bytes(f), repr(f)

    def merge():
        while not done.is_set():
            f.update(other)
            f == other
            other.update(f.copy())

    run(write, read, read, copy, merge)
    assert all(f.contains_many(list(range(200_000))))


def test_two_filters_can_be_merged_into_each_other_at_once():
    f, g = petal.Filter(1000), petal.Filter(1000)
    f.update(range(100))
    g.update(range(100, 200))

    def into(a, b):
        return lambda: [a.update(b) for _ in range(2000)]

    run(into(f, g), into(g, f), lambda: [f == g for _ in range(2000)])
    assert f == g and all(f.contains_many(list(range(200))))


def test_closing_while_others_read():
    for _ in range(20):
        f = petal.Filter(1000)
        f.update(range(1000))

        def read():
            try:
                while True:
                    f.contains_many(list(range(1000)))
                    5 in f
            except ValueError as error:
                assert "closed" in str(error)

        run(read, read, f.close)


def test_a_memoryview_is_safe_from_other_threads():
    f = petal.Filter(10_000)
    refused = []

    def write():
        for i in range(3000):
            try:
                f.update([i])
            except BufferError:
                refused.append(i)

    def look():
        for _ in range(300):
            with memoryview(f) as view:
                assert bytes(view) == bytes(view)
                petal.view(view, copy=True)

    run(write, write, look)


def test_a_list_that_changes_meanwhile():
    f = petal.Filter(100_000)
    keys = [f"key-{i}" for i in range(20_000)]
    stop = threading.Event()

    def change():
        while not stop.is_set():
            keys.append("x" * 50)
            keys.pop(0)
            keys[0] = f"new-{len(keys)}"

    def read():
        try:
            for _ in range(50):
                f.update(keys)
                f.contains_many(keys)
        finally:
            stop.set()

    run(change, read)
    gc.collect()


def test_bytes_while_the_filter_grows():
    f = petal.Filter(kind="scalable")
    done = threading.Event()

    def write():
        try:
            for at in range(0, 100_000, 1000):
                f.update(range(at, at + 1000))
        finally:
            done.set()

    def take():
        while not done.is_set():
            assert petal.view(bytes(f)).contains_many([0]) is not None

    run(write, take, take)
    assert all(petal.view(bytes(f)).contains_many(list(range(100_000))))


# ---- Processes ----


def _look_up(path, keys):
    with petal.open(path) as f:
        return list(f.contains_many(keys))


def _look_up_pickled(f, keys):
    return list(f.contains_many(keys))


def _look_up_shared(name, keys):
    memory = shared_memory.SharedMemory(name)
    with petal.view(memory.buf[: int.from_bytes(memory.buf[:8], "little") + 8][8:]) as f:
        found = list(f.contains_many(keys))
    memory.close()
    return found


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_share_a_mapped_file(tmp_path, method):
    f = petal.build(range(1000))
    path = tmp_path / "a.petal"
    f.save(path)
    keys = list(range(2000))
    wanted = list(f.contains_many(keys))
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.starmap(_look_up, [(path, keys)] * 4) == [wanted] * 4
        assert pool.starmap(_look_up_pickled, [(f, keys)] * 2) == [wanted] * 2


def test_processes_share_memory():
    f = petal.build(range(1000))
    image = bytes(f)
    memory = shared_memory.SharedMemory(create=True, size=len(image) + 8)
    try:
        memory.buf[: len(image) + 8] = len(image).to_bytes(8, "little") + image
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert pool.apply(_look_up_shared, (memory.name, [1, "x"])) == list(
                f.contains_many([1, "x"])
            )
    finally:
        memory.close()
        memory.unlink()


def test_fork_gives_the_child_a_filter_of_its_own():
    f = petal.Filter(1000)
    f.add("before")
    child = os.fork()
    if child == 0:
        try:
            good = (
                "before" in f
                and f.add("child")
                and all(f.contains_many(["before", "child"]))
            )
            f.update(range(100))
        finally:
            os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert "child" not in f and "before" in f
