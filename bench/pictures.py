# SPDX-License-Identifier: BSD-2-Clause
"""pictures.py: draws the charts of a run, for report.py."""
import math
import sys

from figures import best_time, middle, number, percent, short, time_of
from svg import LIGHT, OTHERS, Axis, Chart, Picture, log_ticks, power

GRID, PETAL, LIMIT = LIGHT.grid, LIGHT.colours["petal"], LIGHT.colours["limit"]
ROW = 30  # between two bars


def save(picture, path):
    picture.save(path)
    print(path, file=sys.stderr)


def style(name, others, result):
    """Colour, width and dashes of a contestant's line; the same in every picture."""
    if name == "petal":
        return PETAL, 3.2, ""
    if result.get("limit"):
        return LIMIT, 1.8, "2 4" if "hash" in name else "7 4"
    return (
        OTHERS[others.index(name) % len(OTHERS)],
        1.8,
        "1.5 3" if result.get("exact") else "",
    )


def count(n):
    return power(n) if math.log10(n) % 1 == 0 else short(n)


def line_chart(title, subtitle, x, y_label, y_text, lines, styles):
    """Contestants as lines, over a logarithm of their values."""
    values = [y for line in lines.values() for _, y in line if y > 0]
    ends = min(values) / 1.25, max(values) * 1.25
    y = Axis(*ends, True, log_ticks(*ends), y_text, y_label)
    chart = Chart(
        title,
        subtitle,
        x,
        y,
        width=760,
        height=520,
        left=76,
        right=24 + max(map(len, lines)) * 7,
    )
    for name, line in lines.items():
        colour, width, dash = styles[name]
        chart.curve(
            [point for point in line if point[1] > 0],
            name,
            colour,
            width,
            dash,
            not dash,
            "bold" if name == "petal" else "normal",
        )
    return chart


def names_in_order(cases):
    """The contestants that need a colour of their own."""
    found = []
    for contestants in cases.values():
        for name, results in contestants.items():
            if name not in found and name != "petal" and not results[0].get("limit"):
                found.append(name)
    return found


def growth_pictures(cases, folder, base_styles):
    series = {
        case: c
        for case, c in sorted(cases.items())
        if case[0] == "ints" and case[2:] == (12, "shipped")
    }
    if len(series) < 4:
        return
    for op, file, title in (
        ("mixed", "growth-one.svg", "Single lookups, as the set grows"),
        ("mixed_many", "growth-batched.svg", "Batched lookups, as the set grows"),
    ):
        lines = {}
        for (_, n, _, _), contestants in series.items():
            for name, results in contestants.items():
                value = middle(
                    (best_time(r, op)[0] if op == "mixed_many" else time_of(r, op))
                    for r in results
                )
                if value:
                    lines.setdefault(name, []).append((n, value))
        if not lines:
            continue
        note = "; single lookups where there are no batches" if op == "mixed_many" else ""
        sizes = [case[1] for case in series]
        x = Axis(
            min(sizes),
            max(sizes),
            True,
            log_ticks(min(sizes), max(sizes), between=False),
            power,
            "keys in the set",
        )
        save(
            line_chart(
                title,
                f"random 8-byte keys, half of them members, 12 bits per key{note}",
                x,
                "ns per lookup",
                lambda y: f"{y:g}",
                lines,
                base_styles,
            ),
            folder / file,
        )


def rate_picture(cases, folder, styles):
    sizes = {
        case: c
        for case, c in sorted(cases.items())
        if case[0] == "ints" and case[3] == "shipped"
    }
    n = min((case[1] for case in sizes), default=0)
    sizes = {case: c for case, c in sizes.items() if case[1] == n}
    if len(sizes) < 3:
        return
    lines = {}
    for contestants in sizes.values():
        for name, results in contestants.items():
            rate, bits = middle(r.get("rate") for r in results), middle(
                r.get("bits") for r in results
            )
            if rate and bits and not results[0].get("exact"):
                lines.setdefault(name, []).append((bits, rate))
    lines = {name: line for name, line in lines.items() if len(line) > 2}
    ends = [case[2] for case in sizes]
    lines["lower bound"] = [(b, 2.0**-b) for b in ends]
    x = Axis(
        min(ends),
        max(max(ends), *(bits for line in lines.values() for bits, _ in line)),
        ticks=ends,
        text=lambda x: f"{x:g}",
        label="bits per key",
    )
    save(
        line_chart(
            "False positive rate for a size",
            f"measured, random 8-byte keys, n = {count(n)}",
            x,
            "false positive rate",
            percent,
            lines,
            {**styles, "lower bound": (LIMIT, 1.8, "7 4")},
        ),
        folder / "rates.svg",
    )


def bar_colour(name, result):
    if name == "petal":
        return PETAL
    if result.get("limit"):
        return LIMIT
    return (
        "#b07aa1"
        if name.startswith("petal")
        else "#59a14f"
        if result.get("exact")
        else "#3f6fa8"
    )


def bars(picture, left, top, width, rows, most):
    """Batches in full colour below single lookups in pale.  A lone bar is centred."""
    for i, (colour, one, many) in enumerate(rows):
        both = one is not None and many is not None
        for value, fill, offset in (
            (one, colour + "66", 0 if both else 5),
            (many, colour, 11 if both else 5),
        ):
            if value is not None:
                y, length = top + ROW * i + offset, width * min(value / most, 1.04)
                picture.box(left, y, length, 10, fill)
                picture.text(
                    left + length + 6,
                    y + 9,
                    number(value) + (" →" if value > most else ""),
                    size=11,
                )


def bar_panel(picture, left, top, width, n, rows, usual):
    """One panel.  The axis ends at `usual`; longer bars are cut off there."""
    step = next(
        s * 10.0**p for p in range(-2, 9) for s in (1, 2, 5) if 4 * s * 10.0**p >= usual
    )
    most, end = step * math.ceil(usual / step), top + ROW * len(rows)
    picture.text(left, top - 16, f"n = {count(n)}", size=14, weight="bold")
    for i in range(round(most / step) + 1):
        x = left + width * i * step / most
        picture.line([(x, top - 6), (x, end)], "#999999" if i == 0 else GRID)
        picture.text(x, end + 18, f"{i * step:g}", size=12, anchor="middle")
    bars(picture, left, top, width, rows, most)
    picture.text(left + width / 2, end + 40, "ns per lookup", anchor="middle")


def bar_picture(cases, keys, folder):
    panels = {
        case[1]: c
        for case, c in sorted(cases.items())
        if case[0] == keys and case[2:] == (12, "shipped")
    }
    panels = {n: c for n, c in panels.items() if n in (10**5, 10**7, 10**8)} or panels
    names = list(
        dict.fromkeys(
            name
            for c in panels.values()
            for name, results in c.items()
            if any(time_of(r, "mixed") or time_of(r, "mixed_many") for r in results)
        )
    )
    if not names or len(panels) > 4:
        return
    width, left, top = 200, 190, 116
    picture = Picture(
        max(left + (width + 76) * len(panels) + 10, 720),
        top + ROW * len(names) + 60,
        "Lookups, half of them of members",
        f"{keys}, 12 bits per key; pale bars: single lookups, full: batches; →: longer than drawn",
    )
    for i, name in enumerate(names):
        picture.text(
            left - 14,
            top + ROW * i + 15,
            name,
            anchor="end",
            weight="bold" if name == "petal" else "normal",
        )
    for p, (n, contestants) in enumerate(panels.items()):
        rows, usual = [], []
        for name in names:
            results = contestants.get(name) or [{}]
            one, many = (
                middle(time_of(r, op) for r in results) for op in ("mixed", "mixed_many")
            )
            rows.append((bar_colour(name, results[0]), one, many))
            usual += [v for v in (one, many) if v and not results[0].get("exact")]
        most = max(usual, default=max(v or 0 for row in rows for v in row[1:]))
        if most > 0:
            bar_panel(picture, left + (width + 76) * p, top, width, n, rows, most)
    save(picture, folder / f"bars-{keys}.svg")


def draw(cases, folder):
    folder.mkdir(parents=True, exist_ok=True)
    others = names_in_order(cases)
    styles = {
        name: style(name, others, results[0])
        for contestants in cases.values()
        for name, results in contestants.items()
    }
    growth_pictures(cases, folder, styles)
    rate_picture(cases, folder, styles)
    for keys in ("ints", "urls"):
        bar_picture(cases, keys, folder)
