# SPDX-License-Identifier: BSD-2-Clause
"""arrow_producer.py: a small producer of the Arrow C data interface, in ctypes.

Debian 12 has no pyarrow and no Polars.  So this follows the specification of the structs
and of the capsules, and can also make arrays that a library rarely makes: offsets, nulls in
a dictionary, an index out of range, streams that fail.

`alive` counts what was handed out and not released yet.
"""
import ctypes

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]

alive = {}  # address: objects that must stay


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))

Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", GET_ERROR),
    ("release", RELEASE_STREAM),
    ("private_data", ctypes.c_void_p),
]

_counter = iter(range(1, 1 << 60))


def _keep(struct, things):
    struct.private_data = next(_counter)
    alive[struct.private_data] = things


def _release(struct, function):
    """A struct releases its children and its dictionary, too."""
    for child in struct.children[: struct.n_children]:
        child.contents.release(child)
    if struct.dictionary:
        struct.dictionary.contents.release(struct.dictionary)
    alive.pop(struct.private_data)
    struct.release = function()


@RELEASE_SCHEMA
def _release_schema(pointer):
    _release(pointer.contents, RELEASE_SCHEMA)


@RELEASE_ARRAY
def _release_array(pointer):
    _release(pointer.contents, RELEASE_ARRAY)


@RELEASE_STREAM
def _release_stream(pointer):
    alive.pop(pointer.contents.private_data)
    pointer.contents.release = RELEASE_STREAM()


DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def _destructor(name, struct):
    def destroy(capsule):
        pointer = ctypes.cast(
            api.PyCapsule_GetPointer(capsule, name), ctypes.POINTER(struct)
        )
        if pointer.contents.release:
            pointer.contents.release(pointer)
        structs.pop(ctypes.addressof(pointer.contents))

    return DESTRUCTOR(destroy)


structs = {}  # the structs inside of capsules
_destructors = {
    b"arrow_schema": _destructor(b"arrow_schema", Schema),
    b"arrow_array": _destructor(b"arrow_array", Array),
    b"arrow_array_stream": _destructor(b"arrow_array_stream", Stream),
}


def _capsule(struct, name):
    structs[ctypes.addressof(struct)] = struct
    return api.PyCapsule_New(
        ctypes.addressof(struct), name, ctypes.cast(_destructors[name], ctypes.c_void_p)
    )


def schema(format, dictionary=None, children=()):
    """The value of a schema; `dictionary` and `children` are such values."""
    format = format.encode()
    s = Schema(format=format, name=b"column", flags=2, release=_release_schema)
    pointers = (ctypes.POINTER(Schema) * len(children))(*map(ctypes.pointer, children))
    s.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(Schema)))
    s.n_children = len(children)
    if dictionary is not None:
        s.dictionary = ctypes.pointer(dictionary)
    _keep(s, (format, pointers, children, dictionary))
    return s


def bitmap(flags):
    packed = bytearray((len(flags) + 7) // 8)
    for i, flag in enumerate(flags):
        packed[i // 8] |= flag << i % 8
    return bytes(packed)


def array(length, buffers, offset=0, null_count=-1, dictionary=None, children=()):
    """The value of an array; a buffer is bytes or None."""
    held = [
        None if b is None else ctypes.create_string_buffer(bytes(b), max(1, len(b)))
        for b in buffers
    ]
    pointers = (ctypes.c_void_p * max(1, len(held)))(
        *[ctypes.addressof(b) if b is not None else None for b in held]
    )
    a = Array(
        length=length,
        null_count=null_count,
        offset=offset,
        n_buffers=len(held),
        n_children=len(children),
        buffers=pointers,
        release=_release_array,
    )
    inner = (ctypes.POINTER(Array) * len(children))(*map(ctypes.pointer, children))
    a.children = ctypes.cast(inner, ctypes.POINTER(ctypes.POINTER(Array)))
    if dictionary is not None:
        a.dictionary = ctypes.pointer(dictionary)
    _keep(a, (held, pointers, inner, children, dictionary))
    return a


def text(values, large=False, offset=0):
    """Strings or bytes with None for nulls, as offsets and data."""
    raw = [
        b"junk" if v is None else v.encode() if isinstance(v, str) else v for v in values
    ]
    ends = [0]
    for v in raw:
        ends.append(ends[-1] + len(v))
    kind = ctypes.c_int64 if large else ctypes.c_int32
    valid = bitmap([v is not None for v in values]) if None in values else None
    return array(
        len(values) - offset,
        [valid, bytes((kind * len(ends))(*ends)), b"".join(raw)],
        offset,
    )


def views(values, offset=0):
    """Strings as views: short ones inside, long ones in two buffers."""
    data, packed = [b"--", b"----"], b""
    for i, value in enumerate(values):
        raw = b"" if value is None else value.encode() if isinstance(value, str) else value
        if len(raw) <= 12:
            packed += len(raw).to_bytes(4, "little") + raw.ljust(12, b"\0")
        else:
            buffer = i % 2
            packed += (
                len(raw).to_bytes(4, "little")
                + raw[:4]
                + buffer.to_bytes(4, "little")
                + len(data[buffer]).to_bytes(4, "little")
            )
            data[buffer] += raw
    valid = bitmap([v is not None for v in values]) if None in values else None
    sizes = (ctypes.c_int64 * 2)(*map(len, data))
    return array(len(values) - offset, [valid, packed, *data, bytes(sizes)], offset)


CODES = {
    "c": ctypes.c_int8,
    "C": ctypes.c_uint8,
    "s": ctypes.c_int16,
    "S": ctypes.c_uint16,
    "i": ctypes.c_int32,
    "I": ctypes.c_uint32,
    "l": ctypes.c_int64,
    "L": ctypes.c_uint64,
    "f": ctypes.c_float,
    "g": ctypes.c_double,
}


def numbers(format, values, offset=0, dictionary=None):
    raw = bytes((CODES[format] * len(values))(*[0 if v is None else v for v in values]))
    valid = bitmap([v is not None for v in values]) if None in values else None
    return array(len(values) - offset, [valid, raw], offset, dictionary=dictionary)


class OneArray:
    """An object with __arrow_c_array__()."""

    def __init__(self, make_schema, make_array):
        self.make = make_schema, make_array

    def __arrow_c_array__(self, requested_schema=None):
        return _capsule(self.make[0](), b"arrow_schema"), _capsule(
            self.make[1](), b"arrow_array"
        )


class Chunks:
    """An object with __arrow_c_stream__(), which fails after its chunks if `error` is
    set."""

    def __init__(self, make_schema, *make_arrays, error=None):
        self.make_schema, self.make_arrays, self.error = make_schema, make_arrays, error

    def __arrow_c_stream__(self, requested_schema=None):
        chunks = iter(self.make_arrays)
        message = ctypes.create_string_buffer((self.error or "").encode())

        @GET_SCHEMA
        def get_schema(stream, out):
            out[0] = self.make_schema()
            return 0

        @GET_NEXT
        def get_next(stream, out):
            make = next(chunks, None)
            if make is None and self.error:
                return 5
            out[0] = Array() if make is None else make()
            return 0

        @GET_ERROR
        def get_error(stream):
            return ctypes.addressof(message)

        stream = Stream(
            get_schema=get_schema,
            get_next=get_next,
            get_last_error=get_error,
            release=_release_stream,
        )
        _keep(stream, (get_schema, get_next, get_error, message))
        return _capsule(stream, b"arrow_array_stream")
