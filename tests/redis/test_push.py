# SPDX-License-Identifier: BSD-2-Clause
"""petal push and petal pull with a real server, and the examples for shards in
docs/redis.md."""
import pathlib
import random
import re
import subprocess
import threading

import pytest
import redis
from servers import COMMAND, PRELOAD, kept_port

DOCS = (pathlib.Path(__file__).parents[2] / "docs/redis.md").read_text()
KEYS = [f"key-{i}" for i in range(3000)]


def petal(*words, keys=(), good=True, **more):
    result = subprocess.run(
        [COMMAND, *map(str, words)],
        input="".join(f"{k}\n" for k in keys),
        text=True,
        capture_output=True,
        **more,
    )
    assert not good or result.returncode == 0, result.stderr
    return result


@pytest.mark.parametrize(
    "kind",
    [
        "classic",
        "partitioned",
        "blocked",
        "split",
        "counting",
        "scalable",
        "ribbon",
        "bitmap",
    ],
)
def test_push_and_pull_return_the_same_file(server, r, tmp_path, kind):
    there, back = tmp_path / "there.petal", tmp_path / "back.petal"
    keys = [str(i) for i in range(3000)]
    petal("build", "-k", kind, "-o", there, keys=keys)
    petal("push", there, f"redis://127.0.0.1:{server.port}/a%20key:{{7}}")
    assert all(r.execute_command("PETAL.EXISTS", "a key:{7}", *keys))
    petal("pull", f"redis://127.0.0.1:{server.port}/a%20key:{{7}}", "-o", back)
    assert back.read_bytes() == there.read_bytes()


def test_a_large_filter_replaces_a_small_one(server, r, tmp_path):
    """The file is sent in several chunks of several MiB each."""
    path = tmp_path / "large.petal"
    petal("build", "-n", "9000000", "-o", path, keys=KEYS)
    assert path.stat().st_size > 10 << 20
    r.execute_command("BF.ADD", "k", "old")
    petal("push", path, f"redis://127.0.0.1:{server.port}/k")
    assert r.execute_command("PETAL.DUMP", "k") == path.read_bytes()
    petal("pull", f"redis://127.0.0.1:{server.port}/k", "-o", path, "--force")
    assert r.execute_command("PETAL.DUMP", "k") == path.read_bytes()


def test_a_filter_pulled_while_it_changes_is_valid(server, r, tmp_path):
    r.execute_command("PETAL.RESERVE", "k", "capacity=20000000")
    r.execute_command("PETAL.ADD", "k", *KEYS)
    done = threading.Event()

    def add():
        client = server.client()
        for i in range(10**9):
            if done.is_set():
                return
            client.execute_command("BF.ADD", "k", f"late-{i}")

    adding = threading.Thread(target=add)
    adding.start()
    try:
        petal("pull", f"redis://127.0.0.1:{server.port}/k", "-o", tmp_path / "k.petal")
    finally:
        done.set()
        adding.join()
    assert petal("check", "-c", tmp_path / "k.petal", keys=KEYS).stdout == "3000\n"


def test_password_and_database(start, tmp_path):
    server = start()
    server.client().config_set("requirepass", "a/secret@x")
    path = tmp_path / "k.petal"
    petal("build", "-o", path, keys=KEYS)
    address = f"127.0.0.1:{server.port}/k?db=3"
    petal("push", path, f"redis://:a%2Fsecret%40x@{address}")
    petal("push", path, f"redis://{address}", env={"PETAL_REDIS_PASSWORD": "a/secret@x"})
    refused = petal("push", path, f"redis://:wrong@{address}", good=False)
    assert refused.returncode == 2 and "wrong" not in refused.stderr.replace(
        "WRONGPASS", ""
    )
    assert petal("push", path, f"redis://{address}", good=False).returncode == 2
    assert server.client(db=3, password="a/secret@x").execute_command(
        "PETAL.EXISTS", "k", KEYS[0]
    ) == [1]
    server.client(password="a/secret@x").config_set("requirepass", "")


def test_error_messages_of_push_and_pull(server, r, start, tmp_path):
    path = tmp_path / "k.petal"
    petal("build", "-o", path, keys=KEYS)
    r.set("text", "x")
    plain = start(module=False)
    free = kept_port()
    address = f"redis://127.0.0.1:{server.port}"
    for words, sentence in (
        (("push", path, f"{address}/text"), "WRONGTYPE"),
        (("pull", f"{address}/none", "-o", tmp_path / "n"), "not found"),
        (
            ("push", path, f"redis://127.0.0.1:{plain.port}/k"),
            "load petal's module into the server",
        ),
        (("push", path, f"redis://127.0.0.1:{free.getsockname()[1]}/k"), "refused"),
    ):
        result = petal(*words, good=False)
        assert (
            result.returncode == 2
            and sentence in result.stderr
            and result.stderr.count("\n") == 1
        ), result.stderr
    free.close()
    assert not (tmp_path / "n").exists()
    r.config_set("maxmemory", "1")
    assert "OOM" in petal("push", path, f"{address}/k", good=False).stderr
    r.config_set("maxmemory", "0")


# ---- docs/redis.md ----


def block(language, containing):
    [found] = [
        b for b in re.findall(rf"```{language}\n(.*?)```", DOCS, re.S) if containing in b
    ]
    return found


def test_shards_in_c_and_python_match_the_command(tmp_path):
    chance = random.Random(7)
    keys = ["", "a", "evil.example"] + [
        "".join(chance.choices("abcdefgh-/.", k=chance.randrange(300))) for _ in range(200)
    ]
    program = tmp_path / "shard.c"
    program.write_text(
        "#include <stdint.h>\n"
        + block("c", "shard_of")
        + """
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        printf("%u\\n", shard_of(argv[i], strlen(argv[i]), 64));
}
"""
    )
    subprocess.run(
        ["cc", "-Wall", "-Werror", "-O1", "-o", tmp_path / "shard", program], check=True
    )
    in_c = subprocess.run(
        [tmp_path / "shard", *keys], check=True, capture_output=True, text=True
    ).stdout.split()
    names = {}
    exec(block("python", "def shard_of").split("cluster = ")[0], names)
    in_python = [str(names["shard_of"](key.encode(), 64)) for key in keys]
    by_command = [petal("shard", "--of", key, "-N", "64").stdout.strip() for key in keys]
    assert in_c == in_python == by_command
    assert len(set(by_command)) > 55


@pytest.mark.skipif(
    bool(PRELOAD),
    reason="makes no sense: the demo starts its own server, without the sanitizer",
)
def test_the_demo():
    build = pathlib.Path(COMMAND).parents[1]
    shown = subprocess.run(
        [pathlib.Path(__file__).parents[2] / "examples/redis-demo.sh", build],
        check=True,
        text=True,
        capture_output=True,
    ).stdout
    assert '1) "host-42.example/page"\n2) (nil)' in shown and "\tevil.example/\n" in shown


def test_push_says_if_the_filter_is_full(server, r, tmp_path):
    path, key = tmp_path / "f.petal", f"redis://127.0.0.1:{server.port}/k"
    hint = "full: BF.ADD will soon refuse new items; build it with --room 20%, or with -k scalable to let it grow"
    petal("build", "-o", path, keys=KEYS)
    assert hint in petal("push", path, key).stderr
    with pytest.raises(redis.ResponseError, match="non scaling filter is full"):
        for i in range(300):
            r.execute_command("BF.ADD", "k", f"new-{i}")
    for options in (
        ["--room", "20%"],
        ["-k", "scalable"],
        ["-k", "quotient", "-O", "growth=2"],
    ):
        petal("build", *options, "--force", "-o", path, keys=KEYS)
        assert hint not in petal("push", path, key).stderr
        for i in range(300):
            r.execute_command("BF.ADD", "k", f"new-{i}")
