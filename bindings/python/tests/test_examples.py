# SPDX-License-Identifier: BSD-2-Clause
"""examples/python/, each with the package that it is for."""
import os
import pathlib
import random
import subprocess
import sys

import petal
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples/python"
pytestmark = pytest.mark.skipif(
    not EXAMPLES.exists(), reason="the sdist does not contain examples/"
)
sys.path.insert(0, str(EXAMPLES))


# ---- Scrapy ----

SPIDER = """
import pathlib, sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Pages(scrapy.Spider):
    name = "pages"
    def start_requests(self):       # before Scrapy 2.13
        for n in sys.argv[2].split(","):
            yield scrapy.Request("file://" + sys.argv[1] + "/page-" + n, callback=self.parse)
    async def start(self):          # since then
        for request in self.start_requests():
            yield request
    def parse(self, response):
        print("visited", response.url.rsplit("-", 1)[1], flush=True)

process = CrawlerProcess({"DUPEFILTER_CLASS": "scrapy_dupefilter.PetalDupeFilter", "JOBDIR": sys.argv[1] + "/job",
                          "PETAL_DUPEFILTER_CAPACITY": 1000, "LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False})
crawler = process.create_crawler(Pages)
process.crawl(crawler)
process.start()
print("filtered", crawler.stats.get_value("dupefilter/filtered", 0))
"""


def test_a_crawl_goes_on_where_it_stopped(tmp_path):
    pytest.importorskip("scrapy")
    for n in range(6):
        (tmp_path / f"page-{n}").write_text("a page")

    def crawl(pages):
        done = subprocess.run(
            [sys.executable, "-c", SPIDER, tmp_path, pages],
            text=True,
            capture_output=True,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(map(str, [EXAMPLES, *sys.path])),
            },
        )
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        return sorted(line.split()[1] for line in lines[:-1]), lines[-1]

    assert crawl("0,1,2,1") == (["0", "1", "2"], "filtered 1")
    assert crawl("1,2,3,4,0,4") == (["3", "4"], "filtered 4")
    assert len(petal.open(tmp_path / "job/requests.petal")) == 5


# ---- Django and Flask ----


class Counting:
    """A cache that counts lookups."""

    def __init__(self, cache):
        self.cache, self.gets = cache, 0

    def get(self, key, **options):
        self.gets += 1
        return self.cache.get(key, **options)

    def set(self, *args, **options):
        return self.cache.set(*args, **options)

    def delete(self, key, **options):
        return self.cache.delete(key, **options)


def test_a_guard_for_django():
    pytest.importorskip("django")
    from cache_guard import GuardedCache
    from django.core.cache.backends.locmem import LocMemCache

    cache = Counting(LocMemCache("guard", {}))
    guarded = GuardedCache(cache, capacity=1000, fpr=0.001)
    for i in range(500):
        guarded.set(f"user:{i}", {"id": i}, timeout=60)
    assert all(
        guarded.get(f"user:{i}") in ({"id": i}, None) for i in range(500)
    )  # Django keeps 300
    cache.gets = 0
    assert all(guarded.get(f"user:{i}", "none") == "none" for i in range(1000, 2000))
    assert cache.gets <= 10 and guarded.saved == 1000 - cache.gets
    assert (
        guarded.get_or_set("user:9999", lambda: "new") == "new" == guarded.get("user:9999")
    )
    guarded.delete("user:9999")
    assert guarded.get("user:9999") is None
    guarded.rebuild(["user:1"])
    assert "user:1" in guarded.known and "user:9999" not in guarded.known


def test_a_guard_for_flask():
    flask = pytest.importorskip("flask")
    from cache_guard import GuardedCache

    stored = {}

    class Database:
        gets = 0

        def get(self, key):
            Database.gets += 1
            return stored.get(key)

        def set(self, key, value):
            stored[key] = value

    users = GuardedCache(Database(), capacity=1000, fpr=0.001)
    app = flask.Flask("guard")

    @app.route("/user/<name>")
    def user(name):
        found = users.get(name)
        return (found, 200) if found else ("nobody", 404)

    users.set("rose", "a gardener")
    client = app.test_client()
    assert client.get("/user/rose").text == "a gardener"
    assert [client.get(f"/user/stranger-{i}").status_code for i in range(100)] == [
        404
    ] * 100
    assert Database.gets <= 3


# ---- pandas and Polars ----


def test_a_merge_after_a_semi_join_is_the_same():
    pandas = pytest.importorskip("pandas")
    from semi_join import keys_of, semi_join

    dice = random.Random(1)
    visits = pandas.DataFrame(
        {
            "customer": [dice.randrange(100_000) for _ in range(20_000)],
            "shop": [dice.choice("abc") for _ in range(20_000)],
        }
    )
    customers = pandas.DataFrame(
        {"customer": range(0, 100_000, 50), "shop": ["a"] * 2000, "name": "x"}
    )
    few = semi_join(visits, customers, on="customer", threads=2)
    assert len(few) < 1000
    assert pandas.merge(few, customers, on="customer").equals(
        pandas.merge(visits, customers, on="customer")
    )
    few = semi_join(
        visits, keys_of(customers, ["customer", "shop"]), on=["customer", "shop"]
    )
    assert len(few) < 500
    wanted = pandas.merge(visits, customers, on=["customer", "shop"])
    assert pandas.merge(few, customers, on=["customer", "shop"]).equals(wanted)
    visits["customer"] = visits["customer"].astype(str)
    customers["customer"] = customers["customer"].astype(str)
    assert len(semi_join(visits, customers, on="customer")) < 1000


@pytest.mark.pypi
def test_a_semi_join_in_polars():
    polars = pytest.importorskip("polars")
    from semi_join import semi_join

    left = polars.DataFrame({"key": list(range(1000))})
    few = semi_join(left, polars.DataFrame({"key": [1, 2, 3]}), on="key")
    assert 3 <= len(few) < 50


# ---- redis-py ----


@pytest.fixture
def client(tmp_path):
    """A client of a server with the module."""
    pytest.importorskip("redis")
    if "PETAL_MODULE" not in os.environ or not (ROOT / "tests/redis/servers.py").exists():
        pytest.skip("PETAL_MODULE is not set")
    sys.path.insert(0, str(ROOT / "tests/redis"))
    from servers import Server

    server = Server(tmp_path / "server")
    yield server.client()
    server.stop()


def test_filters_move_between_python_and_a_server(client, monkeypatch):
    import redis_filters

    monkeypatch.setattr(redis_filters, "CHUNK", 1000)
    f = petal.build(range(5000), hash="keyed")
    redis_filters.push(client, "numbers", f)
    assert redis_filters.pull(client, "numbers") == f
    client.execute_command("PETAL.ADD", "numbers", "rose", b"\xff")
    pulled = redis_filters.pull(client, "numbers")
    assert "rose" in pulled and b"\xff" in pulled and 4999 in pulled
    keys = [*range(4000, 6000), "x", b"\0", "日本"]
    replies = client.execute_command("PETAL.EXISTS", "numbers", *keys)
    assert [bool(r) for r in replies] == list(pulled.contains_many(keys))


def test_shards_are_those_of_the_command(client, command, tmp_path):
    import redis_filters

    keys = [f"host-{i}.example" for i in range(500)]
    words = tmp_path / "words"
    words.write_text("\n".join(keys) + "\n")
    printed = subprocess.run(
        [command, "shard", "-N", "8", "--of", "-"],
        stdin=words.open(),
        capture_output=True,
        text=True,
    )
    assert [redis_filters.shard_of(key, 8) for key in keys] == [
        int(line.split()[0]) for line in printed.stdout.splitlines()
    ]
    for n in range(8):
        mine = [key for key in keys if redis_filters.shard_of(key, 8) == n]
        redis_filters.push(client, f"hosts:{{{n}}}", petal.build(mine, fpr=0.0001))
    shards = redis_filters.Shards(client, "hosts:{%d}", 8)
    assert all(shards.contains_many(keys)) and shards.contains(keys[7])
    assert sum(shards.contains_many([f"other-{i}" for i in range(500)])) <= 3


# ---- FastAPI ----


def test_a_service_takes_a_new_file(tmp_path):
    pytest.importorskip("fastapi")
    testing = pytest.importorskip("fastapi.testclient")
    import reload_app

    path = tmp_path / "bad.petal"
    petal.build(["evil.example"], form="url").save(path)
    client = testing.TestClient(reload_app.app(path, every=0))

    def check(url):
        return client.get("/check", params={"url": url}).json()

    assert check("https://www.evil.example/login") == {
        "blocked": True,
        "matched": "evil.example/",
    }
    assert check("https://new.example/") == {"blocked": False, "matched": None}
    old = petal.open(path)
    petal.build(["evil.example", "new.example"], form="url").save(path)
    assert check("https://new.example/a")["blocked"] and old.match("new.example") is None
    assert client.get("/health").json() == {"keys": 2, "error": None}
    image = path.read_bytes()
    (tmp_path / "half").write_bytes(image[:200])
    os.replace(tmp_path / "half", path)
    assert check("https://new.example/")["blocked"]
    assert "truncated" in client.get("/health").json()["error"]
    os.unlink(path)
    assert check("https://evil.example/")["blocked"]
    old.save(path)
    assert (
        not check("https://new.example/")["blocked"]
        and client.get("/health").json()["error"] is None
    )
