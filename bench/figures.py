# SPDX-License-Identifier: BSD-2-Clause
"""figures.py: reads the figures that bench --json wrote, for report.py and pictures.py."""
import json
import pathlib
import statistics
import sys

figure = "median"  # which figure of an operation is used


def load(paths):
    """Returns the runs and {case: {contestant: [its result in each run]}}, where a case is
    (keys, n, bits, pages)."""
    runs, cases = [], {}
    for path in paths:
        try:
            run = json.loads(pathlib.Path(path).read_text())
            for case in run["cases"]:
                key = case["keys"], case["n"], case["bits"], case["pages"]
                for result in case["contestants"]:
                    result["run"] = len(runs)
                    cases.setdefault(key, {}).setdefault(result["name"], []).append(result)
        except (OSError, ValueError, KeyError, TypeError) as error:
            sys.exit(f"report.py: {path}: not a file of bench --json: {error}")
        runs.append(run)
    return runs, cases


def time_of(result, op):
    return result.get("ns", {}).get(op, {}).get(figure)


def best_time(result, op):
    """The time in batches, or of single keys if there are no batches; and which of the
    two."""
    many = time_of(result, op)
    return (many, True) if many else (time_of(result, op.removesuffix("_many")), False)


def middle(values):
    """The median of the runs that have a value."""
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


# ---- As text ----


def short(n):
    text = f"{n:.0e}".replace("e+0", "e").replace("e+", "e")
    return text if float(text) == n else f"{n:,}"


def number(value):
    return "" if value is None else f"{value:.0f}" if value >= 99.5 else f"{value:.1f}"


def percent(rate):
    if rate is None:
        return ""
    return f"{100 * rate:.3g}%" if rate >= 1e-4 or rate == 0 else f"{rate:.1e}"
