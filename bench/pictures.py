# SPDX-License-Identifier: BSD-2-Clause
"""pictures.py: what report.py draws: SVG, written by hand, so that nothing need be installed."""
import html
import math
import sys

from figures import best_time, middle, number, short, time_of

PALETTE = ["#1f77b4", "#e6871a", "#2b9348", "#7b52ab", "#8c564b", "#17a2b8", "#a3a017",
           "#5c6bc0", "#d1495b", "#00798c", "#6a994e", "#bc6c25"]
TEXT, GRID, PETAL, LIMIT = "#333333", "#e3e3e3", "#c2185b", "#8a8a8a"
ROW = 30  # between two bars


class Picture:
    """SVG, piece by piece."""

    def __init__(self, width, height, title, subtitle):
        self.width, self.height = width, height
        self.parts = []
        self.text(24, 34, title, size=19, weight="bold")
        self.text(24, 56, subtitle, size=13, fill="#666666")

    def text(self, x, y, text, size=13, anchor="start", fill=TEXT, weight="normal", turn=0):
        place = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" '
                          f'text-anchor="{anchor}" font-weight="{weight}"{place}>'
                          f'{html.escape(text)}</text>')

    def line(self, points, stroke, width=1.0, dash=""):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{stroke}" '
                          f'stroke-width="{width}" stroke-linejoin="round"{dashes}/>')

    def box(self, x, y, width, height, fill):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" '
                          f'height="{height:.1f}" fill="{fill}"/>')

    def dot(self, x, y, fill):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" fill="{fill}"/>')

    def save(self, path):
        path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                        f'width="{self.width}" height="{self.height}" '
                        'font-family="Helvetica, Arial, \'DejaVu Sans\', sans-serif">\n'
                        f'<rect width="{self.width}" height="{self.height}" fill="#fcfcfc"/>\n'
                        + "\n".join(self.parts) + "\n</svg>\n")
        print(path, file=sys.stderr)


def style(name, others, result):
    """Colour, width and dashes of a contestant's line; the same in every picture."""
    if name == "petal":
        return PETAL, 3.2, ""
    if result.get("limit"):
        return LIMIT, 1.8, "2 4" if "hash" in name else "7 4"
    return PALETTE[others.index(name) % len(PALETTE)], 1.8, "1.5 3" if result.get("exact") else ""


def power(value):
    """10⁵"""
    return "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(round(math.log10(value))))


def count(n):
    return power(n) if math.log10(n) % 1 == 0 else short(n)


def log_ticks(least, most, between=True):
    """Powers of ten, with 2 and 5 between them where there are few."""
    steps = (1, 2, 5) if between and math.log10(most / least) < 3.2 else (1,)
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    return [s * 10.0 ** p for p in powers for s in steps
            if least * 0.999 <= s * 10.0 ** p <= most * 1.001]


class Chart(Picture):
    """Lines over a grid, with the legend at the right, ordered as the lines end."""
    LEFT, TOP, BOTTOM = 84, 80, 62

    def __init__(self, title, subtitle, x_label, y_label, lines, x_log):
        self.RIGHT = 72 + max(22, max(map(len, lines))) * 8
        super().__init__(730 + self.RIGHT, 560, title, subtitle)
        xs = [x for line in lines.values() for x, _ in line]
        ys = [y for line in lines.values() for _, y in line if y > 0]
        self.x_log, self.x_range = x_log, (min(xs), max(xs) if max(xs) > min(xs) else min(xs) * 2)
        self.y_range = min(ys) / 1.25, max(ys) * 1.25
        self.x_end, self.y_end = self.width - self.RIGHT, self.height - self.BOTTOM
        self.text((self.LEFT + self.x_end) / 2, self.height - 16, x_label, anchor="middle")
        self.text(24, (self.TOP + self.y_end) / 2, y_label, anchor="middle", turn=-90)

    def at(self, x, y):
        def part(value, ends, log):
            if log:
                return math.log(value / ends[0]) / math.log(ends[1] / ends[0])
            return (value - ends[0]) / (ends[1] - ends[0])
        return (self.LEFT + part(x, self.x_range, self.x_log) * (self.x_end - self.LEFT),
                self.y_end - part(y, self.y_range, True) * (self.y_end - self.TOP))

    def grid(self, x_ticks, x_text, y_text):
        for y in log_ticks(*self.y_range):
            place = self.at(self.x_range[0], y)[1]
            self.line([(self.LEFT, place), (self.x_end, place)], GRID)
            self.text(self.LEFT - 10, place + 4.5, y_text(y), anchor="end")
        for x in x_ticks:
            place = self.at(x, self.y_range[1])[0]
            self.line([(place, self.TOP), (place, self.y_end)], GRID)
            self.text(place, self.y_end + 22, x_text(x), anchor="middle")
        self.line([(self.LEFT, self.TOP), (self.LEFT, self.y_end), (self.x_end, self.y_end)], "#999999")

    def lines(self, lines, styles):
        for name, line in lines.items():
            colour, width, dash = styles[name]
            self.line([self.at(x, y) for x, y in line], colour, width, dash)
            for x, y in line:
                if not dash:
                    self.dot(*self.at(x, y), colour)
        order = sorted(lines, key=lambda name: (-lines[name][-1][1], name))
        for i, name in enumerate(order):
            colour, width, dash = styles[name]
            y = self.TOP + 14 + 23 * i
            self.line([(self.x_end + 24, y), (self.x_end + 56, y)], colour, width, dash)
            self.text(self.x_end + 64, y + 4.5, name, weight="bold" if name == "petal" else "normal")


def names_in_order(cases):
    """Those who need a colour of their own."""
    found = []
    for contestants in cases.values():
        for name, results in contestants.items():
            if name not in found and name != "petal" and not results[0].get("limit"):
                found.append(name)
    return found


def growth_pictures(cases, folder, base_styles):
    series = {case: c for case, c in sorted(cases.items()) if case[0] == "ints" and case[2:] == (12, "shipped")}
    if len(series) < 4:
        return
    for op, file, title in (("mixed", "growth-one.svg", "Look-ups one at a time, as the set grows"),
                            ("mixed_many", "growth-batched.svg", "Look-ups in batches, as the set grows")):
        lines = {}
        for (_, n, _, _), contestants in series.items():
            for name, results in contestants.items():
                value = middle((best_time(r, op)[0] if op == "mixed_many" else time_of(r, op)) for r in results)
                if value:
                    lines.setdefault(name, []).append((n, value))
        if not lines:
            continue
        note = "; one at a time for those without batches" if op == "mixed_many" else ""
        chart = Chart(title, f"random 8-byte keys, half of them members, 12 bits a key{note}",
                      "keys in the set", "ns a look-up", lines, True)
        chart.grid(log_ticks(*chart.x_range, between=False), power, lambda y: f"{y:g}")
        chart.lines(lines, base_styles)
        chart.save(folder / file)


def rate_picture(cases, folder, styles):
    sizes = {case: c for case, c in sorted(cases.items()) if case[0] == "ints" and case[3] == "shipped"}
    n = min((case[1] for case in sizes), default=0)
    sizes = {case: c for case, c in sizes.items() if case[1] == n}
    if len(sizes) < 3:
        return
    lines = {}
    for contestants in sizes.values():
        for name, results in contestants.items():
            rate, bits = middle(r.get("rate") for r in results), middle(r.get("bits") for r in results)
            if rate and bits and not results[0].get("exact"):
                lines.setdefault(name, []).append((bits, rate))
    lines = {name: line for name, line in lines.items() if len(line) > 2}
    ends = [case[2] for case in sizes]
    lines["bound for any filter"] = [(b, 2.0 ** -b) for b in ends]
    chart = Chart("False positives against size", f"measured, random 8-byte keys, n = {count(n)}",
                  "bits a key", "false positive rate", lines, False)
    chart.grid(ends, lambda x: f"{x:g}", lambda y: f"{100 * y:.10f}".rstrip("0").rstrip(".") + "%")
    chart.lines(lines, {**styles, "bound for any filter": (LIMIT, 1.8, "7 4")})
    chart.save(folder / "rates.svg")


def bar_colour(name, result):
    if name == "petal":
        return PETAL
    if result.get("limit"):
        return LIMIT
    return "#b07aa1" if name.startswith("petal") else "#59a14f" if result.get("exact") else "#3f6fa8"


def bars(picture, left, top, width, rows, most):
    """Batched in full colour below one at a time in light; a lone bar in the middle."""
    for i, (colour, one, many) in enumerate(rows):
        both = one is not None and many is not None
        for value, fill, offset in ((one, colour + "66", 0 if both else 5), (many, colour, 11 if both else 5)):
            if value is not None:
                y, length = top + ROW * i + offset, width * min(value / most, 1.04)
                picture.box(left, y, length, 10, fill)
                picture.text(left + length + 6, y + 9, number(value) + (" →" if value > most else ""), size=11)


def bar_panel(picture, left, top, width, n, rows, usual):
    """`usual` is what must fit; what does not is cut off."""
    step = next(s * 10.0 ** p for p in range(-2, 9) for s in (1, 2, 5) if 4 * s * 10.0 ** p >= usual)
    most, end = step * math.ceil(usual / step), top + ROW * len(rows)
    picture.text(left, top - 16, f"n = {count(n)}", size=14, weight="bold")
    for i in range(round(most / step) + 1):
        x = left + width * i * step / most
        picture.line([(x, top - 6), (x, end)], "#999999" if i == 0 else GRID)
        picture.text(x, end + 18, f"{i * step:g}", size=12, anchor="middle")
    bars(picture, left, top, width, rows, most)
    picture.text(left + width / 2, end + 40, "ns a look-up", anchor="middle")


def bar_picture(cases, keys, folder):
    panels = {case[1]: c for case, c in sorted(cases.items()) if case[0] == keys and case[2:] == (12, "shipped")}
    panels = {n: c for n, c in panels.items() if n in (10**5, 10**7, 10**8)} or panels
    names = list(dict.fromkeys(name for c in panels.values() for name, results in c.items()
                               if any(time_of(r, "mixed") or time_of(r, "mixed_many") for r in results)))
    if not names or len(panels) > 4:
        return
    width, left, top = 200, 190, 116
    picture = Picture(max(left + (width + 76) * len(panels) + 10, 720), top + ROW * len(names) + 60,
                      "Look-ups, half of them of members",
                      f"{keys}, 12 bits a key; light: one at a time, full: in batches; → longer than is drawn")
    for i, name in enumerate(names):
        picture.text(left - 14, top + ROW * i + 15, name, anchor="end",
                     weight="bold" if name == "petal" else "normal")
    for p, (n, contestants) in enumerate(panels.items()):
        rows, usual = [], []
        for name in names:
            results = contestants.get(name) or [{}]
            one, many = (middle(time_of(r, op) for r in results) for op in ("mixed", "mixed_many"))
            rows.append((bar_colour(name, results[0]), one, many))
            usual += [v for v in (one, many) if v and not results[0].get("exact")]
        most = max(usual, default=max(v or 0 for row in rows for v in row[1:]))
        if most > 0:
            bar_panel(picture, left + (width + 76) * p, top, width, n, rows, most)
    picture.save(folder / f"bars-{keys}.svg")


def draw(cases, folder):
    folder.mkdir(parents=True, exist_ok=True)
    others = names_in_order(cases)
    styles = {name: style(name, others, results[0])
              for contestants in cases.values() for name, results in contestants.items()}
    growth_pictures(cases, folder, styles)
    rate_picture(cases, folder, styles)
    for keys in ("ints", "urls"):
        bar_picture(cases, keys, folder)


