# SPDX-License-Identifier: BSD-2-Clause
"""build(): from iterables, columns and files, with a bar on a terminal."""
import io
import os
import pty
import subprocess
import sys
import termios

import petal
import pytest


def test_from_iterables():
    keys = [f"key-{i}" for i in range(1000)]
    f = petal.build(keys, fpr=0.001)
    assert f.info.capacity == 1000 and f.info.sealed and all(key in f for key in keys)
    assert petal.build(iter(keys), fpr=0.001) == f
    assert petal.build(iter(keys), capacity=1000, fpr=0.001) == f
    assert petal.build(keys, fpr=0.001, progress=True) == f
    assert petal.build(keys, fpr=0.001, threads=3) == f
    assert petal.build([]).info.capacity == 1
    with pytest.raises(TypeError, match="row 1"):
        petal.build(["a", None])
    with pytest.raises(TypeError):
        petal.build(5)


def test_from_files(tmp_path):
    path = tmp_path / "words"
    path.write_bytes(b"".join(b"word-%d\n" % i for i in range(300_000)))
    f = petal.build(path)
    assert f.info.capacity == 300_000 and len(f) > 299_000
    assert all(f.contains_many([b"word-%d" % i for i in range(300_000)]))
    assert petal.build(str(path)) == f
    with path.open("rb") as file:
        assert petal.build(file) == f
    with path.open("rb", buffering=0) as file:
        assert petal.build(file) == f
    assert petal.build(io.BytesIO(path.read_bytes())) == f
    with pytest.raises(FileNotFoundError):
        petal.build(tmp_path / "missing")
    with pytest.raises((TypeError, petal.Error)), path.open() as file:
        petal.build(file)


def test_a_line_longer_than_a_block(tmp_path, monkeypatch):
    from petal import _build

    monkeypatch.setattr(_build, "CHUNK", 10)
    lines = [b"x" * 25, b"", b"y\r", b"z" * 10, b"a", b"b" * 9]
    data = b"\n".join(lines)
    f = petal.build(io.BytesIO(data), capacity=10)
    g = petal.Filter(10)
    g.update([b"x" * 25, b"", b"y", b"z" * 10, b"a", b"b" * 9])
    assert f == g


def test_a_stream_needs_a_capacity():
    reader, writer = os.pipe()
    os.write(writer, b"a\nb\n")
    os.close(writer)
    with open(reader, "rb") as file:
        with pytest.raises(ValueError, match="capacity is required"):
            petal.build(file)
        f = petal.build(file, capacity=10)
    assert "a" in f and "b" in f


def test_invalid_keys_are_an_error_or_skipped_with_a_warning():
    keys = ["evil.example", "", "bad.example"]
    with pytest.raises(petal.InvalidError, match="1 of 3 keys were rejected.*row 1"):
        petal.build(keys, form="url")
    with pytest.warns(UserWarning, match="1 keys were not valid"):
        f = petal.build(keys, form="url", skip_invalid=True)
    assert len(f) == 2
    with pytest.raises(TypeError):
        petal.build([None], skip_invalid=True)


@pytest.mark.parametrize("hidden", ["", "sys.modules['tqdm'] = None;"])
def test_a_terminal_shows_progress(hidden):
    """With tqdm and without."""
    if not hidden:
        pytest.importorskip("tqdm")
    program = f"import sys;{hidden} import petal; petal.build(range(200000), progress=True)"
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, 80))  # tqdm shows nothing without columns
    with subprocess.Popen([sys.executable, "-c", program], stderr=follower) as process:
        os.close(follower)
        shown = b""
        try:
            while block := os.read(leader, 65536):
                shown += block
        except OSError:  # the terminal has no other end any more
            pass
    os.close(leader)
    assert process.returncode == 0
    assert (
        (b"200k" in shown or b"100%" in shown)
        if not hidden
        else b"200,000 of 200,000 keys" in shown
    )


def test_no_terminal_no_progress(tmp_path):
    program = "import petal; petal.build(range(1000), progress=True)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stderr == b""
