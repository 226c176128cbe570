# SPDX-License-Identifier: BSD-2-Clause
"""svg.py: draws charts as SVG, with the standard library alone.

A Theme has the colours, a Picture takes text, lines and boxes, and a Chart is a Picture
with two axes.  Lines are labelled where they end instead of in a legend.  Coordinates are
rounded to a tenth of a pixel, so a chart is the same to the byte wherever it is drawn.
"""
import html
import math


class Theme:
    def __init__(self, name, background, text, muted, grid, colours):
        self.name, self.background, self.text, self.muted, self.grid = (
            name,
            background,
            text,
            muted,
            grid,
        )
        self.colours = colours


# One colour for each kind of filter and for each library that petal is compared with.
LIGHT = Theme(
    "light",
    "#fffdfc",
    "#2e2630",
    "#6f6470",
    "#ece4e8",
    {
        "petal": "#c2357a",
        "blocked": "#c2357a",
        "classic": "#2f5fa8",
        "partitioned": "#5b9bd0",
        "split": "#b36b00",
        "ribbon": "#1f7a4d",
        "counting": "#6a4fb3",
        "scalable": "#8b5e3c",
        "Boost 256": "#2f5fa8",
        "Boost 512": "#5b9bd0",
        "RocksDB": "#b36b00",
        "FastFilter 256": "#1f7a4d",
        "FastFilter 512": "#3f9e6e",
        "libbloom": "#6a4fb3",
        "limit": "#857a86",
    },
)
DARK = Theme(
    "dark",
    "#1a161b",
    "#eae4ea",
    "#b3a8b3",
    "#382f39",
    {
        "petal": "#ff8fbd",
        "blocked": "#ff8fbd",
        "classic": "#7fb0ff",
        "partitioned": "#a9d2f5",
        "split": "#ffbe5c",
        "ribbon": "#7ddba3",
        "counting": "#c0aaff",
        "scalable": "#dcb48f",
        "Boost 256": "#7fb0ff",
        "Boost 512": "#a9d2f5",
        "RocksDB": "#ffbe5c",
        "FastFilter 256": "#7ddba3",
        "FastFilter 512": "#a5e8c2",
        "libbloom": "#c0aaff",
        "limit": "#a297a3",
    },
)

# For names that a theme has no colour for, in order.
OTHERS = [
    "#1f77b4",
    "#e6871a",
    "#2b9348",
    "#7b52ab",
    "#8c564b",
    "#17a2b8",
    "#a3a017",
    "#5c6bc0",
    "#d1495b",
    "#00798c",
    "#6a994e",
    "#bc6c25",
]


class Picture:
    """SVG, piece by piece."""

    def __init__(self, width, height, title, subtitle="", theme=LIGHT):
        self.width, self.height, self.title, self.theme = width, height, title, theme
        self.parts = []
        self.text(16, 28, title, size=17, weight="bold")
        if subtitle:
            self.text(16, 48, subtitle, size=13, fill=theme.muted)

    def text(self, x, y, text, size=13, anchor="start", fill=None, weight="normal", turn=0):
        place = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        strong = f' font-weight="{weight}"' if weight != "normal" else ""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill or self.theme.text}" '
            f'text-anchor="{anchor}"{strong}{place}>{html.escape(text)}</text>'
        )

    def line(self, points, stroke, width=1.0, dash=""):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{stroke}" '
            f'stroke-width="{width}" stroke-linejoin="round"{dashes}/>'
        )

    def box(self, x, y, width, height, fill, rounded=0, opacity=1):
        corners = f' rx="{rounded}"' if rounded else ""
        pale = f' fill-opacity="{opacity}"' if opacity != 1 else ""
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" '
            f'height="{height:.1f}"{corners} fill="{fill}"{pale}/>'
        )

    def dot(self, x, y, fill, radius=3.4):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}"/>')

    def save(self, path):
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" '
            "font-family=\"Inter, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
            f"<title>{html.escape(self.title)}</title>\n"
            f'<rect width="{self.width}" height="{self.height}" rx="8" fill="{self.theme.background}"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )


class Axis:
    """From one value to another, along a line or a logarithm; either may be the larger."""

    def __init__(self, first, last, log=False, ticks=(), text=str, label=""):
        self.first, self.last, self.log = first, last, log
        self.ticks, self.text, self.label = ticks, text, label

    def part(self, value):
        """0 at its beginning, 1 at its end."""
        if self.log:
            return math.log(value / self.first) / math.log(self.last / self.first)
        return (value - self.first) / (self.last - self.first)


class Chart(Picture):
    """Lines over a grid.  `right` is the room for their labels."""

    def __init__(
        self, title, subtitle, x, y, theme=LIGHT, width=520, height=380, left=66, right=92
    ):
        super().__init__(width, height, title, subtitle, theme)
        self.x, self.y, self.left, self.labels = x, y, left, []
        self.top, self.x_end, self.y_end = (
            72 if subtitle else 52,
            width - right,
            height - 52,
        )
        for tick in y.ticks:
            place = self.at(x.first, tick)[1]
            self.line([(left, place), (self.x_end, place)], theme.grid)
            self.text(left - 8, place + 4.5, y.text(tick), anchor="end", fill=theme.muted)
        for tick in x.ticks:
            place = self.at(tick, y.first)[0]
            self.line([(place, self.top), (place, self.y_end)], theme.grid)
            self.text(
                place, self.y_end + 20, x.text(tick), anchor="middle", fill=theme.muted
            )
        self.line(
            [(left, self.top), (left, self.y_end), (self.x_end, self.y_end)], theme.muted
        )
        self.text(
            (left + self.x_end) / 2, height - 12, x.label, anchor="middle", fill=theme.muted
        )
        self.text(
            16,
            (self.top + self.y_end) / 2,
            y.label,
            anchor="middle",
            turn=-90,
            fill=theme.muted,
        )

    def at(self, x, y):
        return (
            self.left + self.x.part(x) * (self.x_end - self.left),
            self.y_end - self.y.part(y) * (self.y_end - self.top),
        )

    def curve(self, points, label, colour, width=2.2, dash="", dots=False, weight="normal"):
        """The label stands beside the end of the line, in the margin."""
        places = [self.at(x, y) for x, y in points]
        self.line(places, colour, width, dash)
        if dots:
            for place in places:
                self.dot(*place, colour)
        if label:
            self.labels.append((places[-1][1] + 4.5, label, colour, weight))

    def mark(self, x, y, text, colour, dx=8, dy=-8, anchor="start"):
        place = self.at(x, y)
        self.dot(*place, colour, 4.2)
        self.text(
            place[0] + dx, place[1] + dy, text, fill=colour, anchor=anchor, weight="bold"
        )

    def save(self, path):
        """The labels come last: each as near to its line as the one above it allows."""
        above = 0
        for y, text, colour, weight in sorted(self.labels):
            above = max(y, above + 15)
            self.text(self.x_end + 8, above, text, fill=colour, weight=weight)
        super().save(path)


# ---- Ticks and their texts ----


def power(value):
    """10⁵"""
    digits = str(round(math.log10(value))).translate(
        str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    )
    return "10" + digits


def percent(rate):
    """1%, 0.001%; two digits of anything between"""
    return f"{float(f'{100 * rate:.2g}'):.10f}".rstrip("0").rstrip(".") + "%"


def log_ticks(least, most, between=True):
    """Powers of ten, with 2 and 5 between them where there are few."""
    steps = (1, 2, 5) if between and math.log10(most / least) < 3.2 else (1,)
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    return [
        s * 10.0**p
        for p in powers
        for s in steps
        if least * 0.999 <= s * 10.0**p <= most * 1.001
    ]
