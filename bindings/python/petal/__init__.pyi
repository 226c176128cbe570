# SPDX-License-Identifier: BSD-2-Clause
# __init__.pyi: types of the package.
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any, BinaryIO, TypeVar, overload

from typing_extensions import Self

from petal import _petal
from petal import math as math
from petal._petal import Bytes as _Bytes
from petal._petal import Error as Error
from petal._petal import FileError as FileError
from petal._petal import InvalidError as InvalidError
from petal._petal import Keys as _Keys
from petal._petal import OutOfMemoryError as OutOfMemoryError

__version__: str
kinds: tuple[str, ...]
forms: tuple[str, ...]
hashes: tuple[str, ...]

class Info(Mapping[str, Any]):
    def __init__(self, items: dict[str, Any]) -> None: ...
    def __getitem__(self, name: str) -> Any: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __getattr__(self, name: str) -> Any: ...

class Filter(_petal.Filter):
    # the other options are those of petal_options: kind, form, hash, seed, bits, threads
    # ...
    def __new__(
        cls,
        capacity: int | str | None = None,
        fpr: float | str | None = None,
        **options: Any
    ) -> Self: ...
    def update(
        self, *sources: _Keys | _petal.Filter, as_bytes: bool = False, threads: int = 1
    ) -> None: ...
    def union(self, *others: _Keys | _petal.Filter) -> Self: ...
    def intersection(self, *others: _petal.Filter) -> Self: ...
    @property
    def info(self) -> Info: ...

_F = TypeVar("_F", bound=Filter)

def open(
    path: str | bytes | PathLike[str] | PathLike[bytes],
    *,
    copy: bool = False,
    trust: bool = False
) -> Filter: ...
def view(image: _Bytes, *, copy: bool = False, trust: bool = False) -> Filter: ...
def plan(
    capacity: int | str | None = None, fpr: float | str | None = None, **options: Any
) -> Info: ...
@overload
def build(
    source: _Keys | str | PathLike[str] | BinaryIO,
    *,
    progress: bool = False,
    threads: int = 1,
    as_bytes: bool = False,
    skip_invalid: bool = False,
    **options: Any
) -> Filter: ...
@overload
def build(
    source: _Keys | str | PathLike[str] | BinaryIO,
    *,
    progress: bool = False,
    threads: int = 1,
    as_bytes: bool = False,
    skip_invalid: bool = False,
    cls: type[_F],
    **options: Any
) -> _F: ...
