# SPDX-License-Identifier: BSD-2-Clause
"""semi_join.py: drop rows that cannot match before a merge, for pandas and Polars.

A merge of a large table with a small one spends most of its time and memory on rows of the
large one that match nothing.  semi_join() drops them first: it builds a filter from the
keys of the small table and keeps the rows of the large one whose key is in it, and a few
false positives, which the merge drops.

    few = semi_join(visits, customers, on="customer")
    pandas.merge(few, customers, on="customer")         # the same result as with `visits`

The filter can also be built once, saved, and used where the large table is read, chunk by
chunk or on another machine: keys_of(customers, "customer").save("customers.petal").
"""
import petal


def columns_of(table, on):
    """The key of each row: one column as it is, several as text."""
    names = [on] if isinstance(on, str) else list(on)
    if len(names) == 1:
        return table[names[0]]
    rows = zip(*(table[name] for name in names))
    return ["\x1f".join(map(str, row)) for row in rows]


def keys_of(table, on, fpr=0.01):
    """A filter with the keys of a table."""
    return petal.build(columns_of(table, on), capacity=max(1, len(table)), fpr=fpr)


def semi_join(table, other, on, fpr=0.01, threads=1):
    """The rows of `table` that can match `other`, which is a table or a filter of
    keys_of()."""
    keys = other if isinstance(other, petal.Filter) else keys_of(other, on, fpr)
    found = keys.contains_many(columns_of(table, on), threads=threads)
    if hasattr(table, "filter") and not hasattr(table, "iloc"):  # Polars
        return table.filter(found)
    return table[found]
