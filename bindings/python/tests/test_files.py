# SPDX-License-Identifier: BSD-2-Clause
"""Files, images and memoryviews."""
import os
import pathlib
import stat

import petal
import pytest
from samples import filled


def test_a_saved_filter_is_mapped_when_it_is_opened(tmp_path):
    path = tmp_path / "a.petal"
    f = petal.Filter(1000)
    f.update(range(1000))
    f.save(path)
    assert path.read_bytes() == bytes(f)
    with petal.open(path) as g:
        assert g == f and not g.info.writable
        with pytest.raises(petal.Error, match="read-only"):
            g.add("x")
        with pytest.raises(petal.Error, match="read-only"):
            g.update(["x"])
    h = petal.open(str(path), copy=True)
    h.add("x")
    assert "x" in h and h != f
    h.save(os.fsencode(path))
    assert petal.open(path, trust=True) == h


def test_files_that_are_not_there_or_not_allowed(tmp_path):
    with pytest.raises(FileNotFoundError, match="could not be opened") as caught:
        petal.open(tmp_path / "missing")
    assert isinstance(caught.value, petal.Error) and isinstance(
        caught.value, petal.FileError
    )
    assert caught.value.filename == tmp_path / "missing" and caught.value.errno == 2
    with pytest.raises(FileNotFoundError):
        petal.Filter(10).save(tmp_path / "missing" / "x")
    with pytest.raises(OSError):
        petal.open(tmp_path)
    with pytest.raises(ValueError):
        petal.open("a\0b")
    with pytest.raises(TypeError):
        petal.open(3.5)


def test_damaged_bytes_are_refused(tmp_path):
    image = bytes(filled("blocked"))
    for damaged in (
        b"",
        image[:100],
        image[:-1],
        image + b"x",
        b"x" + image[1:],
        bytes(len(image)),
    ):
        with pytest.raises(ValueError):
            petal.view(damaged)
        (tmp_path / "x").write_bytes(damaged)
        with pytest.raises((ValueError, OSError), match="x"):
            petal.open(tmp_path / "x")
    for at in range(0, len(image), 7):
        damaged = bytearray(image)
        damaged[at] ^= 1
        with pytest.raises(petal.Error):
            petal.view(damaged)


def test_the_mode_of_a_file_is_kept(tmp_path):
    path = tmp_path / "a"
    path.touch()
    path.chmod(0o640)
    petal.Filter(10).save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_memoryview_is_the_image_and_stops_changes():
    f = petal.Filter(1000)
    f.add("a")
    view = memoryview(f)
    assert view.readonly and view.nbytes == f.info.image_bytes and bytes(view) == bytes(f)
    assert "a" in f and len(f) == 1 and f.info.sealed
    for change in (
        lambda: f.add("b"),
        lambda: f.update(["b"]),
        lambda: f.clear(),
        lambda: f.close(),
        lambda: f.set_note("label", "x"),
        lambda: f.__ior__(f.copy()),
        lambda: f.add_many([1]),
    ):
        with pytest.raises(BufferError, match="release the memoryview"):
            change()
    second = memoryview(f)
    view.release()
    with pytest.raises(BufferError):
        f.add("b")
    del second
    assert f.add("b")


def test_a_view_keeps_the_bytes_that_it_uses():
    image = bytearray(bytes(filled("blocked")))
    f = petal.view(image)
    with pytest.raises(BufferError):
        image.append(1)
    assert 5 in f and memoryview(f).nbytes == len(image)
    f.close()
    image.append(1)
    with pytest.raises(TypeError):
        petal.view("text")


def test_golden_files_of_all_kinds(golden):
    """Every file opens, and writes the same bytes again; the .ops file beside it says what
    it contains."""
    kinds, files = set(), sorted(golden.glob("*.petal"))
    assert len(files) >= 60
    for path in files:
        image = path.read_bytes()
        with petal.open(path) as f:
            kinds.add(f.info.kind)
            assert bytes(f) == image and bytes(f.copy()) == image
            f.verify()
        assert petal.view(image, copy=True) == petal.view(image)
    assert kinds == set(petal.kinds)


def test_the_command_reads_our_files_and_we_read_its(command, tmp_path):
    import subprocess

    path = tmp_path / "a.petal"
    f = petal.build(["rose", "tulip"])
    f.save(path)
    answer = subprocess.run(
        [command, "check", path],
        input="rose\nlily\ntulip\n",
        text=True,
        capture_output=True,
    )
    assert answer.stdout == "rose\ntulip\n"
    words = tmp_path / "words"
    words.write_bytes(b"one\ntwo\r\n\nthree")
    subprocess.run([command, "build", "--quiet", "-o", path, "--force", words], check=True)
    built = petal.build(words)
    assert petal.open(path) == built and all(
        key in built for key in ("one", "two", "", "three")
    )


def test_paths_of_any_bytes(tmp_path):
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.petal")
    petal.Filter(10).save(name)
    assert not petal.open(pathlib.Path(name))
