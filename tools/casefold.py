#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""casefold.py: writes src/forms/fold_table.h from Unicode's CaseFolding.txt.

    tools/casefold.py /usr/share/unicode/CaseFolding.txt > src/forms/fold_table.h

(Debian's package unicode-data has the file.)  Simple folding only, statuses C and S: one
character for one.  A row is a run of characters, every one or every second, that fold by
the same distance.
"""
import re
import sys

lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
version = re.search(r"CaseFolding-([\d.]+)\.txt", lines[0]).group(1)
folds = {}
for line in lines:
    row = re.match(r"([0-9A-F]+); ([CS]); ([0-9A-F]+);", line)
    if row:
        folds[int(row.group(1), 16)] = int(row.group(3), 16)

rows = []
for c in sorted(folds):
    distance = folds[c] - c
    if rows and rows[-1]["distance"] == distance:
        last = rows[-1]
        step = c - last["to"]
        if step in (1, 2) and last["step"] in (0, step):
            last["to"], last["step"] = c, step
            continue
    rows.append({"from": c, "to": c, "step": 0, "distance": distance})

print(f"""/* fold_table.h: Unicode {version} simple case folding; written by tools/casefold.py. */
#ifndef PETAL_FOLD_TABLE_H
#define PETAL_FOLD_TABLE_H

#include <stdint.h>

static const struct fold {{
    uint32_t from, to;      /* every step-th character between these */
    uint32_t step;
    int32_t  distance;      /* becomes the one so far away */
}} fold_table[] = {{""")
for row in rows:
    print(f"    {{ 0x{row['from']:05x}, 0x{row['to']:05x}, {max(row['step'], 1)}, {row['distance']:6d} }},")
print("};\n\n#endif")
