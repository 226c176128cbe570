# SPDX-License-Identifier: BSD-2-Clause
"""scrapy_dupefilter.py: a duplicate filter for Scrapy that takes two bytes per page and
survives restarts.

Scrapy remembers the fingerprint of every request in a Python set, about 100 bytes each.
This one keeps them in a petal filter.  In settings.py:

    DUPEFILTER_CLASS = "scrapy_dupefilter.PetalDupeFilter"
    JOBDIR = "crawls/site-1"    # the filter is saved here; without it, it is in memory
    PETAL_DUPEFILTER_CAPACITY = 10_000_000
    PETAL_DUPEFILTER_FPR = 0.0001       # so many new pages are skipped: 1 of 10,000

The filter is saved when the spider closes and every PETAL_DUPEFILTER_SAVE new requests
(100,000), so a crawl that is killed forgets only those since then.  It may be larger than
the capacity; then more new pages are skipped.
"""
import pathlib

import petal
from scrapy.dupefilters import BaseDupeFilter
from scrapy.utils.job import job_dir
from scrapy.utils.request import RequestFingerprinter


class PetalDupeFilter(BaseDupeFilter):
    def __init__(self, path, capacity, fpr, save_every, fingerprinter, stats=None):
        self.path, self.save_every, self.fingerprinter, self.stats = (
            path,
            save_every,
            fingerprinter,
            stats,
        )
        self.unsaved = 0
        if path and path.exists():
            self.seen = petal.open(path, copy=True)
        else:
            self.seen = petal.Filter(capacity, fpr)

    @classmethod
    def from_crawler(cls, crawler):
        settings = crawler.settings
        folder = job_dir(settings)
        return cls(
            pathlib.Path(folder, "requests.petal") if folder else None,
            settings.getint("PETAL_DUPEFILTER_CAPACITY", 10_000_000),
            settings.getfloat("PETAL_DUPEFILTER_FPR", 0.0001),
            settings.getint("PETAL_DUPEFILTER_SAVE", 100_000),
            getattr(crawler, "request_fingerprinter", None)
            or RequestFingerprinter(crawler),
            crawler.stats,
        )

    def request_seen(self, request):
        if not self.seen.add(self.fingerprinter.fingerprint(request)):
            return True
        self.unsaved += 1
        if self.unsaved >= self.save_every:
            self.save()
        return False

    def save(self):
        if self.path:
            self.seen.save(self.path)
        self.unsaved = 0

    def close(self, reason):
        self.save()

    def log(self, request, spider):
        if self.stats:
            self.stats.inc_value("dupefilter/filtered", spider=spider)
