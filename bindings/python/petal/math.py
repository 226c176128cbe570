# SPDX-License-Identifier: BSD-2-Clause
"""The formulas behind the filters, for m bits, k probes per key and n keys.

>>> import petal
>>> round(petal.math.fpr_best(10), 4)       # ten bits per key
0.0082
>>> round(petal.math.bits(1_000_000, 0.01))
9585058
"""
from petal import _petal

__all__ = sorted(
    name.removeprefix("math_") for name in vars(_petal) if name.startswith("math_")
)
globals().update({name: getattr(_petal, "math_" + name) for name in __all__})
