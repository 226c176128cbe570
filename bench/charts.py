#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""charts.py: draws the charts of the documentation, each in a light and a dark version.

    bench/charts.py PETAL DIR            write DIR/NAME-light.svg and DIR/NAME-dark.svg
    bench/charts.py --check PETAL DIR    compare with what is there; status 1 if they differ

The sizes and rates come from `PETAL plan --json`.  The times come from DIR/measured.json,
which names the commands that measured them.  So the charts are the same to the byte each
time, until the formulas or the figures change.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from options import Options, existing_folder
from svg import DARK, LIGHT, Axis, Chart, Picture, log_ticks, percent, power

KEYS = 1000000
BARS_LEFT, BARS_UNIT = 188, 207  # where bars begin, and how long a bar of 1 is
petal = None  # the command


def plan(*options):
    """{kind: its row}, without the kinds that cannot be planned with these options."""
    done = subprocess.run(
        [petal, "plan", "--json", *options], stdout=subprocess.PIPE, check=True
    )
    return {
        row["kind"]: row for row in json.loads(done.stdout)["kinds"] if "error" not in row
    }


def rate_axis(first, last, label="false positive rate"):
    return Axis(
        first,
        last,
        True,
        log_ticks(min(first, last), max(first, last), between=False),
        percent,
        label,
    )


def steps(first, last, n):
    """n + 1 values from first to last, a constant factor apart."""
    return [first * (last / first) ** (i / n) for i in range(n + 1)]


# ---- Sizes and rates ----


def size_data():
    """{kind: [(rate, bits per key)]}"""
    lines = {}
    for rate in steps(0.1, 1e-4, 24):
        kinds = plan("-n", str(KEYS), "-p", f"{rate:.6g}")
        for kind, row in kinds.items():
            lines.setdefault(kind, []).append((rate, row["bits_per_key"]))
    return lines


def draw_size(theme, lines):
    chart = Chart(
        "Bits per key for a false positive rate",
        "1,000,000 keys; no filter can be below the dotted line",
        rate_axis(0.1, 1e-4),
        Axis(0, 30, ticks=range(0, 31, 5), label="bits per key"),
        theme,
        left=52,
    )
    for kind in ("scalable", "split", "classic", "partitioned", "ribbon", "blocked"):
        dash = "5 5" if kind == "partitioned" else ""
        chart.curve(
            lines[kind], kind, theme.colours[kind], 3 if kind == "blocked" else 2.2, dash
        )
    chart.curve(
        [(rate, -math.log2(rate)) for rate, _ in lines["ribbon"]],
        "lower bound",
        theme.text,
        1.8,
        "2 4",
    )
    at = {f"{rate:.6g}": bits for rate, bits in lines["counting"]}
    chart.text(
        chart.left + 10,
        chart.top + 18,
        f"counting is off the chart: {at['0.01']:.0f} bits at 1%, "
        f"{at['0.0001']:.0f} at 0.01%",
        fill=theme.colours["counting"],
    )
    return chart


def rate_data():
    """{kind: [(bits per key, rate)]}"""
    lines = {}
    for bits in range(4, 21):
        kinds = plan("-n", str(KEYS), "-m", str(bits * KEYS))
        for kind in ("classic", "blocked", "ribbon"):
            if kind in kinds:
                lines.setdefault(kind, []).append(
                    (kinds[kind]["bits_per_key"], kinds[kind]["fpr_expected"])
                )
    return lines


def draw_rate(theme, lines):
    chart = Chart(
        "False positive rate for a size",
        "1,000,000 keys; lower is better",
        Axis(4, 20, ticks=range(4, 21, 4), label="bits per key"),
        rate_axis(4e-7, 0.2),
        theme,
        left=84,
    )
    for kind in ("classic", "ribbon", "blocked"):
        chart.curve(lines[kind], kind, theme.colours[kind], 3 if kind == "blocked" else 2.2)
    chart.curve(
        [(bits, 2.0**-bits) for bits in range(4, 21)],
        "lower bound",
        theme.text,
        1.8,
        "2 4",
    )
    return chart


def overfull_data():
    """[(keys over capacity, rate)] of a blocked filter that was planned for 1%."""
    made = plan("-n", str(KEYS), "-p", "0.01", "-k", "blocked")["blocked"]
    points = []
    for quarter in range(1, 17):
        kinds = plan(
            "-n",
            str(quarter * KEYS // 4),
            "-m",
            str(made["bits"]),
            "-k",
            "blocked",
            "-O",
            f"hashes={made['hashes']}",
        )
        points.append((quarter / 4, kinds["blocked"]["fpr_expected"]))
    return points


def draw_overfull(theme, points):
    chart = Chart(
        "More keys than planned",
        "a blocked filter, planned for a rate of 1%",
        Axis(
            0,
            4,
            ticks=range(5),
            text=lambda x: f"{x}×" if x else "0",
            label="keys, as a multiple of the capacity",
        ),
        rate_axis(1e-5, 1),
        theme,
        left=76,
        right=30,
    )
    colour = theme.colours["blocked"]
    chart.line([chart.at(1, 1e-5), chart.at(1, 1)], theme.muted, 1.4, "4 4")
    chart.text(
        chart.at(1, 1)[0] + 8, chart.at(1, 1e-5)[1] - 10, "capacity", fill=theme.muted
    )
    chart.curve(points, "", colour, 3)
    for times in (0.5, 1, 1.5, 2, 3, 4):
        rate = dict(points)[times]
        chart.mark(
            times,
            rate,
            percent(rate),
            colour,
            dx=0 if times == 4 else 6,
            dy=20,
            anchor="end" if times == 4 else "start",
        )
    return chart


def probes_data():
    """{kind: [(k, rate)]} at ten bits per key"""
    lines = {"classic": [], "blocked": []}
    for kind, most in (("classic", 16), ("blocked", 12)):
        for k in range(1, most + 1):
            kinds = plan(
                "-n", str(KEYS), "-m", str(10 * KEYS), "-k", kind, "-O", f"hashes={k}"
            )
            lines[kind].append((k, kinds[kind]["fpr_expected"]))
    return lines


def draw_probes(theme, lines):
    chart = Chart(
        "How many probes are best?",
        "10 bits per key, 1,000,000 keys; the dots mark the lowest rate",
        Axis(1, 16, ticks=range(1, 17, 3), label="probes per key (k)"),
        Axis(0.005, 0.1, True, log_ticks(0.005, 0.1), percent, "false positive rate"),
        theme,
        left=66,
        right=30,
    )
    for kind, dx, dy in (("classic", -30, 22), ("blocked", -6, -60)):
        chart.curve(lines[kind], "", theme.colours[kind], 3 if kind == "blocked" else 2.2)
        k, rate = min(lines[kind], key=lambda point: point[1])
        chart.mark(
            k, rate, f"{kind}, k = {k}: {percent(rate)}", theme.colours[kind], dx, dy
        )
    return chart


# ---- The idea ----


def draw_idea(theme, _):
    """Sixteen bits, three probes per key."""
    picture = Picture(
        520,
        300,
        "A Bloom filter",
        "every key sets a few bits; a lookup reads the same bits",
        theme,
    )
    cell, left, top = 30, 20, 150
    added = {"rose": (1, 6, 11), "tulip": (3, 6, 14)}
    on = {place for places in added.values() for place in places}

    def middle(place):
        return left + cell * place + cell / 2

    def arrows(x, y, places, end, colour, dash=""):
        for place in places:
            picture.line([(x, y), (middle(place), end)], colour, 1.8, dash)

    for key, x, kind in (("rose", 160, "blocked"), ("tulip", 350, "split")):
        arrows(x, 92, added[key], top - 4, theme.colours[kind])
        picture.text(
            x,
            84,
            f"add {key}",
            size=15,
            anchor="middle",
            weight="bold",
            fill=theme.colours[kind],
        )
    for place in range(16):
        picture.box(
            left + cell * place + 1,
            top,
            cell - 2,
            cell - 2,
            theme.colours["petal"] if place in on else theme.grid,
            4,
        )
        picture.text(
            middle(place),
            top + 19,
            "1" if place in on else "0",
            size=14,
            anchor="middle",
            fill=theme.background if place in on else theme.muted,
        )
    for key, x, places, answer, kind in (
        ("tulip", 350, (3, 6, 14), "all three are 1: maybe", "split"),
        ("oak", 130, (1, 4, 11), "one is 0: certainly not", "classic"),
    ):
        arrows(x, 244, places, top + cell + 2, theme.colours[kind], "5 4")
        picture.text(
            x,
            262,
            f"look up {key}",
            size=15,
            anchor="middle",
            weight="bold",
            fill=theme.colours[kind],
        )
        picture.text(x, 282, answer, size=14, anchor="middle")
    return picture


# ---- Times ----


def draw_bars(picture, top, names, ratios):
    """One bar per contestant, from 0.  Returns where the panel ends."""
    theme, left, row, height = picture.theme, BARS_LEFT, 25, 15
    bars = [("petal", (1, 1, 1)), *ratios.items()]
    for tick in (0, 0.5, 1):
        x = left + BARS_UNIT * tick
        picture.line(
            [(x, top - 2), (x, top + row * len(bars) - 4)],
            theme.muted if tick == 0 else theme.grid,
        )
    for i, (name, times) in enumerate(bars):
        y, weight = top + row * i, "bold" if name == "petal" else "normal"
        speed, highest, lowest = (BARS_UNIT / time for time in times)
        picture.text(left - 10, y + 12, names[name], size=12, anchor="end", weight=weight)
        picture.box(left, y, speed, height, theme.colours[name], 2)
        if lowest != highest:
            picture.line(
                [(left + lowest, y + height / 2), (left + highest, y + height / 2)],
                theme.text,
                1.4,
            )
        picture.text(
            left + highest + 7, y + 12, f"{1 / times[0]:.2f}", size=12, weight=weight
        )
    return top + row * len(bars)


def draw_speed(theme, measured):
    """Speed is 1 / time, so that longer bars are faster; thin lines go from the lowest to
    the highest run."""
    table = measured["batched_lookups"]
    rows = sum(len(panel["ratios"]) + 1 for panel in table["panels"])
    picture = Picture(
        520,
        86 + 34 * len(table["panels"]) + 25 * rows,
        "Batched lookups per second, beside others",
        "petal = 1, longer is faster; thin lines: 3 runs; %: false positives",
        theme,
    )
    top = 60
    for panel in table["panels"]:
        picture.text(16, top + 22, panel["title"], weight="bold")
        top = draw_bars(picture, top + 34, table["names"], panel["ratios"])
    for tick in (0, 0.5, 1):
        picture.text(
            BARS_LEFT + BARS_UNIT * tick,
            top + 14,
            f"{tick:g}",
            size=12,
            anchor="middle",
            fill=theme.muted,
        )
    return picture


def draw_growth(theme, measured):
    table = measured["growth"]
    chart = Chart(
        "Lookup time as the set grows",
        "batches, random 8-byte keys, 12 bits per key, both axes logarithmic",
        Axis(1e5, 1e9, True, steps(1e5, 1e9, 4), power, "keys in the set"),
        Axis(
            1,
            300,
            True,
            (1, 2, 5, 10, 20, 50, 100, 200),
            lambda y: f"{y:g}",
            "ns per lookup",
        ),
        theme,
        height=420,
        left=56,
        right=112,
    )
    for name, times in table["ns"].items():
        points = [(n, t) for n, t in zip(table["keys"], times) if t]
        limit = name == "limit"
        chart.curve(
            points,
            "memory alone" if limit else name,
            theme.colours[name],
            3.2 if name == "petal" else 2,
            "4 4" if limit else "",
            not limit,
            "bold" if name == "petal" else "normal",
        )
    return chart


def draw_all(measured, folder):
    charts = {
        "idea": (draw_idea, None),
        "size": (draw_size, size_data()),
        "rate": (draw_rate, rate_data()),
        "overfull": (draw_overfull, overfull_data()),
        "probes": (draw_probes, probes_data()),
        "speed": (draw_speed, measured),
        "growth": (draw_growth, measured),
    }
    for name, (draw, data) in charts.items():
        for theme in (LIGHT, DARK):
            draw(theme, data).save(folder / f"{name}-{theme.name}.svg")


def check(measured, folder):
    """Each chart that is there is the one that is drawn now, and no other is there."""
    with tempfile.TemporaryDirectory() as name:
        fresh = pathlib.Path(name)
        draw_all(measured, fresh)
        drawn, kept = (
            {p.name: p.read_bytes() for p in where.glob("*.svg")}
            for where in (fresh, folder)
        )
    wrong = sorted(
        name for name in drawn.keys() | kept.keys() if drawn.get(name) != kept.get(name)
    )
    for name in wrong:
        print(f"{folder / name} is not what make charts draws", file=sys.stderr)
    print(f"{len(drawn) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


def main():
    global petal
    options = Options(__doc__)
    options.add_argument("--check", action="store_true", help="compare, and write nothing")
    options.add_argument("petal", help="the command")
    options.add_argument("dir", type=existing_folder, help="the charts, and measured.json")
    wanted = options.parse_args()
    petal = wanted.petal
    measured = json.loads((wanted.dir / "measured.json").read_text())
    if wanted.check:
        sys.exit(check(measured, wanted.dir))
    draw_all(measured, wanted.dir)


if __name__ == "__main__":
    main()
