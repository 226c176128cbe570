# SPDX-License-Identifier: BSD-2-Clause
"""_text.py: texts for the extension: decimal numbers of any size, options, file names."""
import numbers
import os


def _padded(value, width):
    """The text of a number, with zeros in front up to this width."""
    if width <= 600:  # no limit can be lower than 640
        return str(value).zfill(width)
    low_width = width // 2
    high, low = divmod(value, 10**low_width)
    return _padded(high, width - low_width) + _padded(low, low_width)


def decimal(number):
    """The decimal text of an int of any size.

    str() refuses more than sys.get_int_max_str_digits() digits.  So the number is divided
    into halves until they are short enough.
    """
    digits = int(number.bit_length() * 0.30103) + 1
    return ("-" if number < 0 else "") + (_padded(abs(number), digits).lstrip("0") or "0")


def _value(name, value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return ":".join(_value(name, part) for part in value)
    if isinstance(value, str):
        if not value or any(c.isspace() or c in ",=" for c in value):
            raise ValueError(f"{name} must be one word or number, not {value!r}")
        return value
    raise TypeError(f"{name} must be a str or a number, not {type(value).__name__}")


def options(given):
    """Keyword options as the text that petal_parse_options() reads.  None means the
    default."""
    return " ".join(
        f"{name}={_value(name, value)}"
        for name, value in given.items()
        if value is not None
    )


def is_path(source):
    return isinstance(source, (str, os.PathLike))
