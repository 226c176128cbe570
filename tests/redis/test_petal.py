# SPDX-License-Identifier: BSD-2-Clause
"""PETAL.* commands: filters of every kind, and loading and dumping of filter files."""
import json
import subprocess

import pytest
import redis
from servers import COMMAND

OPTIONS = {
    "bitmap": "kind=bitmap bits=100000",
    "classic": "kind=classic capacity=3000 fpr=0.1%",
    "partitioned": "kind=partitioned capacity=3000",
    "blocked": "kind=blocked capacity=3000",
    "split": "kind=split capacity=3000",
    "counting": "kind=counting capacity=3000",
    "scalable": "kind=scalable",
    "default": "capacity=3000",
}
MERGE = ["bitmap", "classic", "partitioned", "blocked", "split", "counting", "default"]
KEYS = [str(i * 7) for i in range(2000)]


def petal(*words, **more):
    return subprocess.run(
        [COMMAND, *map(str, words)], check=True, capture_output=True, **more
    ).stdout


def stats(r, key):
    return json.loads(r.execute_command("PETAL.STATS", key))


def error_of(r, *words):
    with pytest.raises(redis.ResponseError) as error:
        r.execute_command(*words)
    return str(error.value)


@pytest.mark.parametrize("kind", OPTIONS)
def test_every_kind_finds_its_members(r, kind):
    assert r.execute_command("PETAL.RESERVE", "k", OPTIONS[kind])
    assert sum(r.execute_command("PETAL.ADD", "k", *KEYS)) > 1900
    assert all(r.execute_command("PETAL.EXISTS", "k", *KEYS))
    assert all(r.execute_command("BF.MEXISTS", "k", *KEYS))
    assert r.execute_command("PETAL.MATCH", "k", *KEYS[:9]) == [
        k.encode() for k in KEYS[:9]
    ]
    assert min(r.execute_command("PETAL.COUNT", "k", *KEYS)) >= 1
    assert (
        sum(r.execute_command("PETAL.EXISTS", "k", *[str(99999 - i) for i in range(1000)]))
        < 250
    )
    assert stats(r, "k")["kind"] == ("blocked" if kind == "default" else kind)


@pytest.mark.parametrize("kind", OPTIONS)
def test_a_filter_file_is_the_same_in_the_server_and_the_shell(r, kind, tmp_path):
    """A filter made in the server is checked in the shell, then loaded back and used in the
    server."""
    r.execute_command("PETAL.RESERVE", "k", OPTIONS[kind])
    r.execute_command("PETAL.ADD", "k", *KEYS)
    image = r.execute_command("PETAL.DUMP", "k")
    (tmp_path / "k.petal").write_bytes(image)
    lines = "\n".join(KEYS).encode() + b"\n"
    assert petal("check", tmp_path / "k.petal", input=lines) == lines
    assert r.execute_command("PETAL.LOAD", "copy", image)
    assert r.execute_command("PETAL.DUMP", "copy") == image
    r.execute_command("PETAL.ADD", "copy", "77777")
    r.execute_command("PETAL.ADD", "k", "77777")
    assert r.execute_command("PETAL.DUMP", "copy") == r.execute_command("PETAL.DUMP", "k")


def test_a_ribbon_can_be_loaded_but_not_changed(r, tmp_path):
    petal(
        "build",
        "-k",
        "ribbon",
        "-p",
        "0.1%",
        "-o",
        tmp_path / "r.petal",
        input="\n".join(KEYS).encode(),
    )
    image = (tmp_path / "r.petal").read_bytes()
    assert r.execute_command("PETAL.LOAD", "k", image)
    assert all(r.execute_command("PETAL.EXISTS", "k", *KEYS))
    assert sum(r.execute_command("BF.MEXISTS", "k", *[f"x{i}" for i in range(1000)])) < 20
    assert r.execute_command("PETAL.DUMP", "k") == image
    assert r.execute_command("BF.CARD", "k") == 2000
    assert r.execute_command("BF.INFO", "k")[1] == 2000
    assert "takes no more keys" in error_of(r, "PETAL.ADD", "k", "new")
    assert "takes no more keys" in error_of(r, "BF.ADD", "k", "new")
    assert "PETAL.LOAD" in error_of(r, "PETAL.RESERVE", "other", "kind=ribbon capacity=10")
    assert "PETAL.LOAD" in error_of(r, "PETAL.RESERVE", "other", "LIKE", "k")
    assert r.copy("k", "copy") and r.execute_command("PETAL.DUMP", "copy") == image


def test_notes_of_a_file_are_kept(r, tmp_path):
    """Even the longest ones fit into a description."""
    label = '"' * 4000
    petal(
        "build",
        "-k",
        "scalable",
        "-n",
        10,
        "--label",
        label,
        "-o",
        tmp_path / "n.petal",
        input=b"a\nb\n",
    )
    image = (tmp_path / "n.petal").read_bytes()
    assert r.execute_command("PETAL.LOAD", "k", image)
    assert r.execute_command("PETAL.DUMP", "k") == image
    assert stats(r, "k")["notes"]["label"] == label
    r.execute_command("PETAL.ADD", "k", *KEYS)  # it grows
    assert stats(r, "k")["notes"]["label"] == label
    (tmp_path / "k.petal").write_bytes(r.execute_command("PETAL.DUMP", "k"))
    assert (
        json.loads(petal("info", "--json", tmp_path / "k.petal"))["notes"]["label"] == label
    )


def test_a_missing_key_is_an_error(r):
    for words in (
        "PETAL.ADD k a",
        "PETAL.EXISTS k a",
        "PETAL.MATCH k a",
        "PETAL.COUNT k a",
        "PETAL.REMOVE k a",
        "PETAL.STATS k",
        "PETAL.DUMP k",
        "PETAL.DUMP k 0 10",
        "PETAL.RESERVE new LIKE k",
        "PETAL.MERGE new k",
    ):
        assert error_of(r, *words.split()) == "not found", words
    assert r.dbsize() == 0


def test_a_wrong_type_is_an_error(r):
    r.set("k", "text")
    for words in (
        "PETAL.ADD k a",
        "PETAL.EXISTS k a",
        "PETAL.MATCH k a",
        "PETAL.COUNT k a",
        "PETAL.REMOVE k a",
        "PETAL.STATS k",
        "PETAL.DUMP k",
        "PETAL.RESERVE k capacity=10",
        "PETAL.RESERVE new LIKE k",
        "PETAL.MERGE k k",
        "PETAL.LOAD k x",
        "PETAL.LOADCHUNK k 0 1 x",
    ):
        assert error_of(r, *words.split()).startswith("WRONGTYPE"), words
    assert r.get("k") == b"text"


@pytest.mark.parametrize(
    "words, sentence",
    [
        ("PETAL.RESERVE k colour=red", "colour is not one of petal's options"),
        (
            "PETAL.RESERVE k kind=bitmap",
            "bits must be from 1 to 8796093022208: this kind holds the integers from 0 to bits - 1",
        ),
        (
            "PETAL.RESERVE k kind=rose",
            "kind must be one of bitmap, classic, partitioned, blocked, split, counting, scalable, ribbon, quotient, redisbloom, guava, spark, dcso, libbloom",
        ),
        ("PETAL.RESERVE k capacity=0", "capacity is required unless bits is given"),
        (
            "PETAL.RESERVE k capacity=1e11",
            "filter would exceed bf-max-filter-bytes; raise it or use a smaller filter",
        ),
        ("PETAL.RESERVE k capacity=100 fpr=2", "fpr must be above 0 and below 1"),
        ("PETAL.LOAD k rose", "not a petal filter"),
        (
            "PETAL.LOADCHUNK k 0 x y",
            "offset must be an integer >= 0 and total an integer >= 1",
        ),
        (
            "PETAL.LOADCHUNK k -1 10 y",
            "offset must be an integer >= 0 and total an integer >= 1",
        ),
        (
            "PETAL.LOADCHUNK k 5 10 y",
            "no load of this key is in progress; start at offset 0",
        ),
        (
            "PETAL.LOADCHUNK k 0 3 rose",
            "chunk does not continue the load; start again at offset 0",
        ),
        ("PETAL.LOADCHUNK k 0 4 rose", "not a petal filter"),
        (
            "PETAL.LOADCHUNK k 0 1000000000000 rose",
            "filter would exceed bf-max-filter-bytes; raise it or use a smaller filter",
        ),
    ],
)
def test_errors(r, words, sentence):
    assert error_of(r, *words.split()) == sentence
    assert not r.exists("k")


def test_options_may_be_one_argument_or_several(r):
    r.execute_command("PETAL.RESERVE", "a", "kind=counting capacity=100 hash=fast seed=7")
    r.execute_command(
        "PETAL.RESERVE", "b", "kind=counting", "capacity=100", "hash=fast", "seed=7"
    )
    assert r.execute_command("PETAL.DUMP", "a") == r.execute_command("PETAL.DUMP", "b")
    assert (
        error_of(r, "PETAL.RESERVE", "a", "capacity=100")
        == "filter exists; use another key or delete it"
    )


def test_every_filter_has_its_own_secret(r):
    for key in "ab":
        r.execute_command("PETAL.RESERVE", key, "capacity=100")
        r.execute_command("BF.ADD", "bf-" + key, "rose")
        assert stats(r, key)["hash"] == stats(r, "bf-" + key)["hash"] == "keyed"
        assert "seed" not in stats(r, key)
    assert (
        len({r.execute_command("PETAL.DUMP", k)[48:64] for k in ("a", "b", "bf-a", "bf-b")})
        == 4
    )


def test_an_option_that_has_no_effect_does_not_remove_the_secret(r):
    r.execute_command("PETAL.RESERVE", "k", "capacity=100 threads=100000")
    assert stats(r, "k")["hash"] == "keyed"


def test_like_creates_an_empty_filter_of_the_same_shape_and_secret(r):
    for kind in MERGE + ["scalable"]:
        r.execute_command("PETAL.RESERVE", kind, OPTIONS[kind])
        r.execute_command("PETAL.RESERVE", "empty-" + kind, "LIKE", kind)
        empty = r.execute_command("PETAL.DUMP", kind)
        assert r.execute_command("PETAL.DUMP", "empty-" + kind) == empty
        r.execute_command("PETAL.ADD", kind, *KEYS)
        r.execute_command("PETAL.RESERVE", "later-" + kind, "like", kind)
        assert r.execute_command("PETAL.DUMP", "later-" + kind) == empty
        # the empty filter is as small as the original was at first
        assert r.memory_usage("later-" + kind) - r.memory_usage("empty-" + kind) in (
            0,
            -8,
            8,
        )


@pytest.mark.parametrize("kind", MERGE)
def test_a_merged_filter_equals_one_that_held_all_keys(r, kind):
    r.execute_command("PETAL.RESERVE", "all", OPTIONS[kind])
    for key in ("a", "b", "c"):
        r.execute_command("PETAL.RESERVE", key, "LIKE", "all")
    r.execute_command("PETAL.ADD", "all", *KEYS)
    for i, key in enumerate(("a", "b", "c")):
        r.execute_command("PETAL.ADD", key, *KEYS[i::3])
    r.expire("a", 1_000_000)
    assert r.execute_command("PETAL.MERGE", "a", "b", "c")
    assert r.ttl("a") > 900_000
    assert all(r.execute_command("PETAL.EXISTS", "a", *KEYS))
    cells = slice(
        256, None if kind == "bitmap" else -8
    )  # after the header; the checksums at the end match too
    assert (
        r.execute_command("PETAL.DUMP", "a")[cells]
        == r.execute_command("PETAL.DUMP", "all")[cells]
    )
    assert r.execute_command("PETAL.MERGE", "new", "b", "c")
    assert all(r.execute_command("PETAL.EXISTS", "new", *KEYS[1::3], *KEYS[2::3]))


def test_a_merge_that_fails_changes_nothing(r):
    r.execute_command("PETAL.RESERVE", "a", "capacity=100")
    r.execute_command("PETAL.RESERVE", "like", "LIKE", "a")
    r.execute_command("PETAL.RESERVE", "other", "capacity=100")  # has another secret
    r.execute_command("PETAL.ADD", "like", "rose")
    before = r.execute_command("PETAL.DUMP", "a")
    assert "differ in kind" in error_of(r, "PETAL.MERGE", "a", "like", "other")
    assert error_of(r, "PETAL.MERGE", "a", "like", "none") == "not found"
    assert r.execute_command("PETAL.DUMP", "a") == before
    r.execute_command("PETAL.RESERVE", "s", "kind=scalable")
    r.execute_command("PETAL.RESERVE", "t", "LIKE", "s")
    assert "a scalable filter cannot be merged; reserve one with kind=blocked" in error_of(
        r, "PETAL.MERGE", "s", "t"
    )


def test_items_can_be_added_after_a_merge(r):
    r.execute_command("PETAL.RESERVE", "a", "capacity=50")
    r.execute_command("PETAL.RESERVE", "b", "LIKE", "a")
    r.execute_command("PETAL.ADD", "b", "rose")
    r.execute_command("PETAL.MERGE", "a", "b")
    assert not stats(r, "a")["counted"]
    assert r.execute_command("BF.CARD", "a") == 1
    assert r.execute_command("BF.MADD", "a", *range(60)) and r.execute_command(
        "BF.EXISTS", "a", 59
    )


def test_counting_and_removing(r):
    r.execute_command("PETAL.RESERVE", "k", "kind=counting capacity=1000")
    assert r.execute_command("PETAL.ADD", "k", "a", "a", "b") == [1, 0, 1]
    assert r.execute_command("PETAL.COUNT", "k", "a", "b", "c") == [2, 1, 0]
    assert r.execute_command("PETAL.REMOVE", "k", "a", "b", "c") == [1, 1, 0]
    assert r.execute_command("PETAL.COUNT", "k", "a", "b") == [1, 0]
    assert r.execute_command("BF.ADD", "k", "a") == 0 and r.execute_command(
        "PETAL.COUNT", "k", "a"
    ) == [2]
    r.execute_command("BF.ADD", "plain", "a")
    assert (
        "this quotient filter cannot remove items; reserve one with kind=quotient"
        in error_of(r, "PETAL.REMOVE", "plain", "a")
    )
    r.execute_command("PETAL.RESERVE", "fixed", "capacity=100")
    assert (
        "a blocked filter cannot remove items; reserve one with kind=quotient"
        in error_of(r, "PETAL.REMOVE", "fixed", "a")
    )


def test_urls_are_matched_by_their_parents(r):
    r.execute_command("PETAL.RESERVE", "k", "form=url capacity=1000")
    r.execute_command("PETAL.ADD", "k", "evil.example", "http://shop.example/phish/")
    assert r.execute_command(
        "PETAL.MATCH",
        "k",
        "HTTPS://www.Evil.example:443/x#top",
        "http://shop.example/phish/card.html",
        "http://shop.example/",
        "not a url at all\0",
    ) == [b"evil.example/", b"shop.example/phish/", None, None]
    assert r.execute_command("PETAL.EXISTS", "k", "EVIL.example", "www.evil.example") == [
        1,
        0,
    ]


def test_a_rejected_item_is_an_error_in_its_place_and_the_others_are_added(r):
    r.execute_command("PETAL.RESERVE", "k", "kind=bitmap bits=100")
    replies = r.execute_command("PETAL.ADD", "k", "7", "rose", "100", "8")
    assert [replies[0], replies[3]] == [1, 1]
    assert [str(x) for x in replies[1:3]] == [
        "the key must be an integer below the filter's size"
    ] * 2
    assert r.execute_command("BF.CARD", "k") == 2
    assert [str(x) for x in r.execute_command("BF.MADD", "k", "9", "rose", "10")] == [
        "1",
        "the key must be an integer below the filter's size",
        "1",
    ]


def test_loading_in_chunks_changes_the_key_only_when_complete(r):
    r.execute_command("PETAL.RESERVE", "k", "capacity=1e6")
    r.execute_command("PETAL.ADD", "k", *KEYS)
    image = r.execute_command("PETAL.DUMP", "k")
    parts = [(at, image[at : at + 300000]) for at in range(0, len(image), 300000)]
    for at, part in parts:
        assert not r.exists("new")
        assert r.execute_command("PETAL.LOADCHUNK", "new", at, len(image), part)
    assert r.execute_command("PETAL.DUMP", "new") == image
    # the same for a key that already holds a filter
    r.execute_command("BF.ADD", "old", "rose")
    for at, part in parts:
        assert r.execute_command("BF.EXISTS", "old", "rose") == 1
        r.execute_command("PETAL.LOADCHUNK", "old", at, len(image), part)
    assert r.execute_command("PETAL.DUMP", "old") == image
    assert (
        b"".join(r.execute_command("PETAL.DUMP", "k", at, 300000) for at, _ in parts)
        == image
    )
    assert r.execute_command("PETAL.DUMP", "k", len(image), 10) == b""
    assert r.execute_command("PETAL.DUMP", "k", len(image) - 3, 10) == image[-3:]


def test_a_load_that_fails_leaves_the_old_filter(r):
    r.execute_command("BF.ADD", "k", "rose")
    before = r.execute_command("PETAL.DUMP", "k")
    damaged = before[:300] + bytes([before[300] ^ 1]) + before[301:]
    assert "corrupt" in error_of(r, "PETAL.LOAD", "k", damaged)
    assert "corrupt" in error_of(r, "PETAL.LOADCHUNK", "k", 0, len(damaged), damaged)
    assert "truncated" in error_of(r, "PETAL.LOAD", "k", before[:-1])
    assert r.execute_command("PETAL.DUMP", "k") == before


def test_a_second_load_of_a_key_replaces_the_first(r):
    r.execute_command("BF.MADD", "a", *KEYS[:50])
    image = r.execute_command("PETAL.DUMP", "a")
    r.execute_command("PETAL.LOADCHUNK", "k", 0, len(image), image[:100])
    r.execute_command("PETAL.LOADCHUNK", "k", 0, len(image), image[:200])
    assert "does not continue" in error_of(
        r, "PETAL.LOADCHUNK", "k", 100, len(image), image[100:]
    )
    assert "no load" in error_of(r, "PETAL.LOADCHUNK", "k", 200, len(image), image[200:])
    # loads of the same name in two databases are independent
    other = redis.Redis(**r.connection_pool.connection_kwargs | {"db": 1})
    r.execute_command("PETAL.LOADCHUNK", "k", 0, len(image), image[:100])
    assert "no load" in error_of(
        other, "PETAL.LOADCHUNK", "k", 100, len(image), image[100:]
    )
    assert r.execute_command("PETAL.LOADCHUNK", "k", 100, len(image), image[100:])
    assert r.execute_command("PETAL.DUMP", "k") == image and not other.exists("k")


def test_loads_in_progress_take_at_most_twice_the_limit(start):
    r = start(module_arguments=("bf-max-filter-bytes", "1000000")).client()
    for i in range(20):
        r.execute_command("PETAL.LOADCHUNK", f"k{i}", 0, 900000, bytes(400000))
        info = r.info("bf_filters")
        assert info["bf_loads_bytes"] <= 2000000
        assert info["bf_loads_in_progress"] == min(i + 1, 2)  # each takes 800,000 bytes
    assert r.execute_command("PETAL.LOADCHUNK", "k19", 400000, 900000, b"more")
    assert "no load" in error_of(r, "PETAL.LOADCHUNK", "k0", 400000, 900000, b"more")


def test_a_load_takes_at_most_twice_the_memory_of_its_data(r):
    """The buffer has at least 16 KiB and at most the total.  A false total costs little,
    and the buffer moves rarely."""
    least = 16 << 10
    for total in (100, 100_000, 1_000_000):
        come, room = 0, 0
        for upto in (
            0,
            1,
            least,
            least + 1,
            2 * least + 2,
            2 * least + 3,
            70_000,
            99_999,
            500_001,
            999_999,
        ):
            if upto >= total:
                break
            r.execute_command("PETAL.LOADCHUNK", "k", come, total, bytes(upto - come))
            come = upto
            if come > room:
                room = min(max(2 * come, least), total)
            assert r.info("bf_filters")["bf_loads_bytes"] == room
        assert "not a petal filter" in error_of(
            r, "PETAL.LOADCHUNK", "k", come, total, bytes(total - come)
        )
        assert r.info("bf_filters")["bf_loads_bytes"] == 0


def test_flushing_drops_loads_in_progress(r):
    r.execute_command("BF.ADD", "a", "rose")
    image = r.execute_command("PETAL.DUMP", "a")
    r.execute_command("PETAL.LOADCHUNK", "k", 0, len(image), image[:100])
    other = redis.Redis(**r.connection_pool.connection_kwargs | {"db": 1})
    other.flushdb()
    assert r.info("bf_filters")["bf_loads_in_progress"] == 1
    r.flushall()
    assert r.info("bf_filters")["bf_loads_in_progress"] == 0
    assert "no load" in error_of(r, "PETAL.LOADCHUNK", "k", 100, len(image), image[100:])
