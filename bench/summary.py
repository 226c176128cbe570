# SPDX-License-Identifier: BSD-2-Clause
"""summary.py: draws one chart of a run that a person can show, for report.py.

Four panels: lookups in batches, single lookups, additions, and size.  Each has petal, the
other filters and the limits, in the same order: that of lookups in batches in the cache.
Times are for a filter in the cache (full colour) and for one beyond it (pale); a bar that
is much longer than most is cut off.  The size is relative to the smallest possible for the
measured rate, log2(1 / rate) bits per key.  The caption states the parameters of every
contestant, because they decide the figures.
"""
import math
import statistics

from figures import best_time, middle, time_of
from svg import DARK, LIGHT, Picture, percent

WIDTH, LEFT, PANEL, GAP = 1000, 176, 492, 16  # LEFT is the room for names in a panel
ROW, BAR = 25, 9
BITS = 12
OURS = ["petal", "petal inline", "petal ribbon"]  # petal's contestants that are shown


def chosen(cases):
    """The trials to show: {n: contestants}, one in the cache and one beyond it."""
    found = {
        n: c
        for (keys, n, bits, pages), c in sorted(cases.items())
        if (keys, bits, pages) == ("ints", BITS, "shipped")
    }
    small = [n for n in found if n <= 10**6][:1]
    large = [n for n in found if n > 10**6][:1]
    return {n: found[n] for n in small + large}


def rank(name, results):
    """petal, its header, its ribbon, others, limits; None: not shown."""
    if (
        not results
        or "mixed" not in results[0]["ns"]
        and "mixed_many" not in results[0]["ns"]
    ):
        return None
    if name in OURS:
        return 0, OURS.index(name)
    if name.startswith("petal") or results[0].get("exact"):
        return None
    return (2 if results[0].get("limit") else 1), lookups_in_batches(results)[0]


def contestants_of(trials):
    shown = {}
    for contestants in trials.values():
        for name, results in contestants.items():
            place = rank(name, [r for r in results if "ns" in r])
            if place:
                shown.setdefault(name, place)
    return sorted(shown, key=lambda name: shown[name])


# ---- Values: the number and the text beside it ----


def lookups_in_batches(results):
    return of_best(results, "mixed_many")


def single_lookups(results):
    value = middle(time_of(r, "mixed") for r in results)
    return value, ""


def additions(results):
    """With the time for building, where that is a step of its own."""
    value, mark = of_best(results, "add_many")
    ready = middle(time_of(r, "ready") for r in results)
    return (value + ready if value and ready else value), mark


def of_best(results, op):
    pairs = [best_time(r, op) for r in results]
    alike = all(same for value, same in pairs if value)
    return middle(value for value, _ in pairs), "" if alike else "*"


def size(results):
    rate, bits = middle(r.get("rate") for r in results), middle(
        r.get("bits") or None for r in results
    )
    if not rate or not bits:
        return None, ""
    return bits / -math.log2(rate), f"at {percent(rate)}"


# ---- Panels ----


class Panel:
    def __init__(self, title, unit, value, every_n=True, without="petal inline"):
        self.title, self.unit, self.value, self.every_n, self.without = (
            title,
            unit,
            value,
            every_n,
            without,
        )

    def rows(self, trials, names):
        """[(name, [(number, text)])], without those that have no figure."""
        some = list(trials.values()) if self.every_n else list(trials.values())[-1:]
        for name in names:
            values = [self.value([r for r in c.get(name, []) if "ns" in r]) for c in some]
            if name != self.without and any(number for number, _ in values):
                yield name, values


PANELS = (
    Panel("Lookups in batches", "ns per key, less is better", lookups_in_batches),
    Panel("Single lookups", "ns per key, less is better", single_lookups, without=None),
    Panel("Additions, in batches", "ns per key, less is better", additions),
    Panel(
        "Size",
        "bits per key over the smallest possible for the measured rate",
        size,
        every_n=False,
    ),
)


def step_of(most):
    return next(
        s * 10.0**p for p in range(-2, 9) for s in (1, 2, 5) if 5 * s * 10.0**p >= most
    )


def colour_of(theme, name):
    if name.startswith("petal"):
        return theme.colours[
            "petal"
            if name == "petal"
            else "counting"
            if name == "petal inline"
            else "ribbon"
        ]
    return theme.colours["limit" if name.startswith("limit") else "classic"]


def draw_panel(picture, panel, rows, left, top):
    """Draws the panel with its upper left corner at this place; the axis ends above what
    most need."""
    theme, start = picture.theme, left + LEFT
    width = PANEL - LEFT - 84
    numbers = [number for _, values in rows for number, _ in values if number]
    usual = min(max(numbers), 3 * statistics.median(numbers))
    step = step_of(usual)
    most = step * math.ceil(usual / step)
    picture.text(left, top + 14, panel.title, size=15, weight="bold")
    picture.text(left, top + 32, panel.unit, size=12, fill=theme.muted)
    top += 46
    end = top + ROW * len(rows)
    for i in range(round(most / step) + 1):
        x = start + width * i * step / most
        picture.line([(x, top - 2), (x, end)], theme.muted if i == 0 else theme.grid)
        picture.text(
            x, end + 15, f"{i * step:g}", size=12, anchor="middle", fill=theme.muted
        )
    for i, (name, values) in enumerate(rows):
        draw_row(picture, name, values, start, top + ROW * i, width / most, most)


def draw_row(picture, name, values, start, top, scale, most):
    colour, weight = colour_of(picture.theme, name), "bold" if name == "petal" else "normal"
    picture.text(start - 10, top + 15, name, size=12.5, anchor="end", weight=weight)
    height = BAR if len(values) > 1 else 13
    offset = 2 if len(values) > 1 else 4
    for i, (number, text) in enumerate(values):
        if number is None:
            continue
        y, length = top + offset + i * (BAR + 1), scale * min(number, most * 1.03)
        picture.box(start, y, length, height, colour, 1, 1 if i == 0 else 0.45)
        label = (
            f"{number:.2f} {text}"
            if len(values) == 1
            else (f"{number:.1f}" if number < 99.5 else f"{number:.0f}") + text
        )
        picture.text(
            start + length + 5,
            y + height - 0.5,
            ("→ " if number > most else "") + label,
            size=11 if len(values) > 1 else 12,
            weight=weight,
        )


# ---- The chart ----


def wrapped(words, columns):
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) + 1 > columns:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def caption(runs, trials, names):
    machine, versions = runs[0]["machine"], runs[0]["versions"]
    last = list(trials.values())[-1]
    parts = []
    for name in names:
        told = next(
            (r["parameters"] for r in last.get(name, []) if r.get("parameters")), ""
        )
        if told:
            parts.append(f"{name}: {told}")
    text = (
        f"Random 8-byte keys, half of them members, {BITS} bits per key (ribbon: {BITS} columns); processor "
        "time of one thread. * no batches, so single keys. → longer than drawn. Additions include "
        f"building. Parameters: {'; '.join(parts)}. {machine['processor']}, {', '.join(machine['caches'])}, "
        f"{versions['compiler']}, petal {versions['petal']}, {runs[0]['date'][:10]}."
    )
    return wrapped(text.split(), 145)


def key(picture, trials, x, y):
    """Which bar is which number of keys."""
    for i, n in enumerate(trials):
        where = "in the cache" if n <= 10**6 else "beyond the cache"
        picture.box(
            x, y - 10, 26, 11, picture.theme.colours["petal"], 1, 1 if i == 0 else 0.45
        )
        picture.text(x + 34, y, f"{n:,} keys, {where}", size=13)
        x += 260


def draw_summary(runs, trials, names, theme):
    rows = [list(panel.rows(trials, names)) for panel in PANELS]
    heights = [46 + ROW * max(len(rows[i]), len(rows[i + 1])) + 32 for i in (0, 2)]
    lines = caption(runs, trials, names)
    picture = Picture(
        WIDTH,
        76 + sum(heights) + 17 * len(lines) + 6,
        "petal beside other filters",
        theme=theme,
    )
    key(picture, trials, 16, 52)
    for i, panel in enumerate(PANELS):
        if rows[i]:
            draw_panel(
                picture,
                panel,
                rows[i],
                16 + (i % 2) * (PANEL - GAP),
                76 + (heights[0] if i > 1 else 0),
            )
    for i, line in enumerate(lines):
        picture.text(16, 76 + sum(heights) + 4 + 17 * i, line, size=12, fill=theme.muted)
    return picture


def summary(runs, cases, folder):
    """Returns the paths of the charts; none if the runs have no trial that can be shown."""
    trials = chosen(cases)
    names = contestants_of(trials)
    paths = []
    for theme in (LIGHT, DARK) if names else ():
        paths.append(folder / f"summary-{theme.name}.svg")
        draw_summary(runs, trials, names, theme).save(paths[-1])
    return paths
