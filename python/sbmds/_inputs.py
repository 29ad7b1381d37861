"""What can be fitted: arrays, tables, sparse matrices, lists of pairs, features and paths become one of five forms.

Packages are recognised by what their objects can do; none of them is imported.
"""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _native

#: How the two readings of a pair of a sparse matrix may differ, relative to the larger.
AGREEMENT = 1e-8
#: Content that is larger goes through a file, so that memory holds no second copy.
LARGE = 1 << 26


@dataclass(frozen=True)
class Input:
    """Data in one of the forms that the native part takes."""

    kind: Literal["path", "dense", "condensed", "pairs", "features", "table"]
    path: str | None = None
    format: str | None = None
    rows: list[list[Any]] | None = None
    values: NDArray[Any] | None = None
    ends: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    names: list[str] | None = None
    #: A file with the names of data that do not hold them.
    names_file: str | None = None
    n_objects: int = 0

    def native(self, metric: str | None) -> _native.Data | None:
        """The dissimilarities in memory; None if they are in a file."""
        if self.kind in ("path", "table"):
            return None
        assert self.values is not None
        if self.kind == "dense":
            return _native.Data.dense(self.values, self.names)
        if self.kind == "condensed":
            return _native.Data.condensed(self.values, self.n_objects, self.names)
        if self.kind == "features":
            return _native.Data.features(self.values, metric or "euclidean", self.names)
        assert self.ends is not None
        return _native.Data.pairs(*self.ends, self.values, self.n_objects, self.names)

    def content(self, names_apart: bool = True) -> tuple[NDArray[np.uint8] | None, str | None]:
        """The bytes of a file that holds the data, for a run that keeps it, and its format; None for a path.

        With `names_apart` names stand in a file of their own: decimals of a large matrix take long to write and to read.
        """
        if self.kind == "path":
            return None, None
        if self.kind == "table":
            return _bytes_of(self._write_rows), None
        assert self.values is not None
        if self.kind == "pairs":
            return _bytes_of(self._write_pairs), "edges"
        if self.names is None or (names_apart and self.has_names_apart()):
            return _bytes_of(self._write_npy), "npy"
        return _bytes_of(self._write_table), None if self.kind == "features" else "matrix"

    def has_names_apart(self) -> bool:
        """Whether the names stand in a file of their own, one per line."""
        return self.names is not None and self.kind in ("path", "dense", "condensed", "features")

    def with_names_file(self, path: Path, is_resumed: bool = False) -> Input:
        """The same with the names written to a file, if they stand in one of their own."""
        if self.names is None or self.names_file is not None or not self.has_names_apart():
            return self
        for name in self.names:
            if not _is_a_line(name):
                raise ValueError(f"names: {name!r} is not one line of text without spaces around it. Remedy: give another name")
        text = "".join(f"{name}\n" for name in self.names)
        if is_resumed and path.exists() and path.read_text(encoding="utf-8") != text:
            raise ValueError(f"names: they are not those that the run was started with ({path}). Remedy: leave them out, or start anew")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        return replace(self, names_file=str(path))

    def absolute(self) -> Input:
        """The same wherever the working directory goes."""
        absolute = {name: os.path.abspath(path) for name in ("path", "names_file") if (path := getattr(self, name)) is not None}
        return replace(self, **absolute) if absolute else self

    def needs_file(self, noise: str | None, *qualities: Any) -> bool:
        """Whether only the reader of files can take the data: titres, numbers with weights or errors, negative dissimilarities."""
        if self.kind == "table":
            return True
        if self.kind == "path":
            return False
        if any(one is not None for one in qualities):
            return True
        if noise not in ("normal", "student-t") or self.kind == "features" or self.values is None:
            return False
        return bool(np.nanmin(self.values, initial=0.0) < 0.0)

    def as_file(self, path: Path, names_apart: bool = True) -> Input:
        """The same data in a file; names that it does not hold stay beside it."""
        content, format = self.content(names_apart)
        assert content is not None
        content.tofile(path)
        names = self.names if names_apart and self.has_names_apart() else None
        return replace(self, kind="path", path=str(path), format=format, names=names)

    def _write_rows(self, file: Any) -> None:
        assert self.rows is not None
        text = io.StringIO(newline="")
        csv.writer(text).writerows(self.rows)
        file.write(text.getvalue().encode())

    def _write_npy(self, file: Any) -> None:
        assert self.values is not None
        np.lib.format.write_array(file, self.values)

    def _write_pairs(self, file: Any) -> None:
        assert self.ends is not None and self.values is not None
        names = self.names or [str(number) for number in range(self.n_objects)]
        file.write(b"a,b,value\n")
        for a, b, value in zip(*self.ends, self.values):
            file.write(f"{_quoted(names[a])},{_quoted(names[b])},{float(value)!r}\n".encode())

    def _write_table(self, file: Any) -> None:
        assert self.values is not None and self.names is not None
        square = _square(self.values, self.n_objects) if self.kind == "condensed" else self.values
        header = self.names if self.kind != "features" else [f"feature{k + 1}" for k in range(square.shape[1])]
        file.write(("name," + ",".join(map(_quoted, header)) + "\n").encode())
        for name, row in zip(self.names, square):
            file.write((_quoted(name) + "," + ",".join(_number(value) for value in row.tolist()) + "\n").encode())


def _is_a_line(name: str) -> bool:
    """Whether a name can stand in a file with one name per line."""
    return name == name.strip() and len(name.splitlines()) == 1


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _number(value: float) -> str:
    return "" if value != value else repr(value)


def _square(condensed: NDArray[Any], n_objects: int) -> NDArray[Any]:
    square = np.zeros((n_objects, n_objects))
    square[np.triu_indices(n_objects, 1)] = condensed
    return square + square.T


def _bytes_of(write: Any) -> NDArray[np.uint8]:
    """What is written: in memory if it is small, else mapped from a file without a name."""
    with tempfile.SpooledTemporaryFile(max_size=LARGE) as file:
        write(file)
        file.seek(0)
        if isinstance(getattr(file, "_file"), io.BytesIO):
            return np.frombuffer(file.read(), dtype=np.uint8)
        return np.memmap(file, dtype=np.uint8, mode="r")


def read(data: Any, metric: str | None = None, names: Any = None, has_more: bool = False) -> Input:
    """Recognises ``data``; with `has_more` a table whose cells or columns are more than numbers of pairs."""
    if is_path(data):
        if names is None or is_path(names):
            return Input("path", path=os.fspath(data), names_file=None if names is None else os.fspath(names))
        return Input("path", path=os.fspath(data), names=listed_names(names))
    if has_more:
        if names is not None:
            raise ValueError("names: a table of titres, or of pairs with weights or errors, names its objects itself. Remedy: leave names out")
        # Which objects there are, the reader of files finds out; it also joins names to them.
        return Input("table", rows=_rows(data))
    if hasattr(data, "tocoo"):
        found = _sparse(data) if metric is None else _features(data.toarray(), None)
    elif hasattr(data, "columns") and (hasattr(data, "iloc") or hasattr(data, "get_column")):
        found = _table(_Columns(data), metric)
    elif hasattr(data, "dims") and hasattr(data, "coords"):
        found = _array(np.asarray(data.values), metric, _coordinate(data))
    elif metric is None and _is_list_of_pairs(data):
        found = _pairs(*zip(*data))
    else:
        found = _array(unmasked(data), metric, None)
    return found if names is None else named(found, names)


def is_path(given: Any) -> bool:
    """Whether this is the path of a file."""
    return isinstance(given, (str, os.PathLike))


def is_missing(value: Any) -> bool:
    """Whether this is one of Python's ways to say that there is no value."""
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def unmasked(data: Any) -> NDArray[Any]:
    """An array; what is masked in it is missing."""
    if not isinstance(data, np.ma.MaskedArray):
        return np.asarray(data)
    if not np.ma.is_masked(data):
        return np.asarray(data.data)
    kind = data.dtype if data.dtype.kind == "f" else np.dtype(np.float64)
    return np.where(np.ma.getmaskarray(data), kind.type(np.nan), data.data.astype(kind))


def named(found: Input, names: Any) -> Input:
    """With names given beside the data: a sequence, or the path of a file with one per line."""
    given = listed_names(names)
    if len(given) != found.n_objects:
        raise ValueError(f"names: {len(given)} names are given for {found.n_objects} objects. Remedy: give one per object")
    return replace(found, names=given)


def listed_names(names: Any) -> list[str]:
    """Names as a list; those of a file stand one per line."""
    if is_path(names):
        with open(names, encoding="utf-8-sig") as file:
            return [line.strip() for line in file if line.strip()]
    return [str(name) for name in names]


def _numbers(array: Any, what: str) -> NDArray[Any]:
    """float64 or float32 in C order; without a copy where they are that already."""
    array = unmasked(array)
    if array.dtype.kind == "O":
        array = _with_nan(array)
    if array.dtype.kind not in "fiubO":
        raise ValueError(f"data: {what} must hold numbers, not {array.dtype}. Remedy: convert them with astype(float)")
    kind = np.float32 if array.dtype == np.float32 else np.float64
    try:
        return np.ascontiguousarray(array, dtype=kind)
    except (TypeError, ValueError) as error:
        raise ValueError(f"data: {what} must hold numbers ({error}). Remedy: convert them with astype(float)") from error


def _with_nan(array: NDArray[Any]) -> NDArray[Any]:
    """Objects of Python with NaN for those that are missing."""
    is_gap = np.array([is_missing(value) for value in array.ravel()], dtype=bool).reshape(array.shape)
    return np.where(is_gap, np.nan, array) if is_gap.any() else array


def _array(array: NDArray[Any], metric: str | None, names: list[str] | None) -> Input:
    if metric is not None:
        return _features(array, names)
    if array.ndim == 1:
        return _condensed(array, names)
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        return Input("dense", values=_numbers(array, "the matrix"), names=names, n_objects=array.shape[0])
    if array.ndim == 2 and array.shape[1] == 3:
        return _pairs(array[:, 0], array[:, 1], array[:, 2])
    shape = " x ".join(map(str, array.shape)) or "a single number"
    raise ValueError(
        f"data: the array is {shape}: neither a square matrix, nor a condensed vector, nor three columns (object, object, value). "
        "Remedy: give one of these, or metric= if its rows are features"
    )


def _condensed(array: NDArray[Any], names: list[str] | None) -> Input:
    n_objects = (1 + round((1 + 8 * len(array)) ** 0.5)) // 2
    if len(array) == 0 or n_objects * (n_objects - 1) // 2 != len(array):
        raise ValueError(
            f"data: a vector of {len(array)} numbers is no condensed matrix: N objects have N (N - 1) / 2 pairs. "
            "Remedy: give what scipy.spatial.distance.pdist gives, or a square matrix"
        )
    values = _numbers(array, "the vector")
    return Input("condensed", values=values, names=names, n_objects=n_objects)


def _features(array: Any, names: list[str] | None) -> Input:
    values = _numbers(array, "features")
    if values.ndim != 2:
        raise ValueError(f"data: features need two dimensions (objects, features), not {values.ndim}. Remedy: reshape them")
    return Input("features", values=values, names=names, n_objects=values.shape[0])


def _is_list_of_pairs(data: Any) -> bool:
    """Whether this is a list of (name, name, value)."""
    return (
        isinstance(data, (list, tuple))
        and len(data) > 0
        and all(isinstance(row, (list, tuple)) and len(row) == 3 for row in data)
        and isinstance(data[0][0], str)
    )


def _pairs(a: Any, b: Any, value: Any) -> Input:
    """Measured pairs, by name or by number from 0; names come in the order in which they are first met."""
    a, b, values = np.asarray(a), np.asarray(b), _numbers(value, "the third column").astype(np.float64, copy=False)
    if _is_numbered(a) and _is_numbered(b):
        ends = (a.astype(np.int64), b.astype(np.int64))
        n_objects = int(max(ends[0].max(initial=-1), ends[1].max(initial=-1))) + 1
        return Input("pairs", values=values, ends=ends, n_objects=n_objects)
    met: dict[str, int] = {}
    numbered = [(met.setdefault(str(x), len(met)), met.setdefault(str(y), len(met))) for x, y in zip(a, b)]
    both = np.array(numbered, dtype=np.int64).reshape(-1, 2)
    ends = (np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1]))
    return Input("pairs", values=values, ends=ends, names=list(met), n_objects=len(met))


def _is_numbered(column: NDArray[Any]) -> bool:
    if column.dtype.kind in "iu":
        return bool((column >= 0).all())
    return column.dtype.kind == "f" and bool(np.all((column >= 0) & (column == np.floor(column))))


def _sparse(matrix: Any) -> Input:
    """What is stored is measured, also zeros; the two readings of a pair must agree."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        shape = " x ".join(map(str, matrix.shape))
        raise ValueError(f"data: the sparse matrix is {shape}, not square. Remedy: give a square one, or metric= for features")
    stored = matrix.tocsr(copy=True)
    stored.sum_duplicates()
    stored = stored.tocoo()
    row, column, values = (np.asarray(part) for part in (stored.row, stored.col, stored.data))
    off = row != column
    low, high, values = np.minimum(row, column)[off], np.maximum(row, column)[off], values[off].astype(np.float64)
    order = np.lexsort((high, low))
    low, high, values = low[order], high[order], values[order]
    twice = np.flatnonzero((low[1:] == low[:-1]) & (high[1:] == high[:-1]))
    apart = np.abs(values[twice] - values[twice + 1]) > AGREEMENT * np.maximum(values[twice], values[twice + 1])
    if apart.any():
        at = twice[np.argmax(apart)]
        raise ValueError(
            f"data: entries ({low[at]}, {high[at]}) and ({high[at]}, {low[at]}) of the sparse matrix are {values[at]} and "
            f"{values[at + 1]}. Remedy: make it symmetric, or store one triangle"
        )
    keep = np.ones(len(values), dtype=bool)
    keep[twice + 1] = False
    ends = (low[keep].astype(np.int64), high[keep].astype(np.int64))
    return Input("pairs", values=values[keep], ends=ends, n_objects=matrix.shape[0])


def without_diagonal(value: Any) -> Any:
    """Weights or errors of pairs: what stands on the diagonal of a square array means nothing."""
    if isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[0] == value.shape[1]:
        value = unmasked(value).astype(np.float64)
        np.fill_diagonal(value, 0.0)
    return value


def _rows(data: Any) -> list[list[Any]]:
    """The cells of a table with its header, as a file would have them."""
    if not (hasattr(data, "columns") and (hasattr(data, "iloc") or hasattr(data, "get_column"))):
        raise ValueError("data: titres, and pairs with weights or errors, must be a table of pandas or polars, or a path. "
                         "Remedy: give one of these, with the names as its index or first column")  # fmt: skip
    table = _Columns(data)
    index = table.index()
    columns = [table.column(k).tolist() for k in range(len(table.names))]
    if index is not None:
        columns = [index, *columns]
    header = ([] if index is None else ["name"]) + table.names

    def cell(value: Any) -> Any:
        return "" if is_missing(value) else repr(value) if isinstance(value, float) else value

    return [list(header), *([cell(value) for value in row] for row in zip(*columns))]


def _coordinate(array: Any) -> list[str] | None:
    """Names of the rows of an xarray, if it has any."""
    rows = array.dims[0]
    return [str(name) for name in array.coords[rows].values] if rows in array.coords else None


class _Columns:
    """A table of pandas or polars, as columns."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.names = [str(name) for name in table.columns]
        self.is_pandas = hasattr(table, "iloc")
        self.n_rows = len(table)

    def column(self, index: int) -> NDArray[Any]:
        if self.is_pandas:
            return np.asarray(self.table.iloc[:, index])
        return np.asarray(self.table.get_column(self.table.columns[index]).to_numpy())

    def is_text(self, index: int) -> bool:
        column = self.column(index)
        if column.dtype.kind in "fiub":
            return False
        return any(isinstance(value, str) for value in column)

    def index(self) -> list[str] | None:
        """The row names of pandas, unless they are only numbers from 0."""
        if not self.is_pandas:
            return None
        index = list(self.table.index)
        return None if index == list(range(self.n_rows)) else [str(name) for name in index]

    def numbers(self, columns: Sequence[int]) -> NDArray[Any]:
        if self.is_pandas and len(columns) == len(self.names):
            return np.asarray(self.table.to_numpy())
        if not columns:
            return np.empty((self.n_rows, 0))
        return np.ascontiguousarray(np.column_stack([_numbers(self.column(k), "the table") for k in columns]))


def _table(table: _Columns, metric: str | None) -> Input:
    n_columns = len(table.names)
    texts = [k for k in range(n_columns) if table.is_text(k)]
    row_names = table.index()
    if row_names is None and texts == [0]:
        row_names, columns = [str(name) for name in table.column(0)], list(range(1, n_columns))
    else:
        columns = list(range(n_columns))
    if metric is not None:
        return _features(table.numbers(columns), row_names)
    if table.n_rows == len(columns) and not (set(texts) & set(columns)):
        return _square_table(table, columns, row_names)
    if n_columns == 3:
        return _pairs(table.column(0), table.column(1), table.column(2))
    raise ValueError(
        f"data: the table has {table.n_rows} rows and {n_columns} columns: neither square nor three columns (object, object, value). "
        "Remedy: give one of these, or metric= if its rows are features"
    )


def _square_table(table: _Columns, columns: list[int], row_names: list[str] | None) -> Input:
    """A square table; its columns are put in the order of its rows, by name."""
    values, names = table.numbers(columns), [table.names[k] for k in columns]
    if table.is_pandas and row_names is None and names == [str(k) for k in range(len(names))]:
        return Input("dense", values=_numbers(values, "the table"), n_objects=len(names))
    if row_names is not None and row_names != names:
        if sorted(row_names) != sorted(names):
            other = next(name for name in row_names + names if (name in names) != (name in row_names))
            raise ValueError(
                f"data: rows and columns of the table have different names ({other!r} is only one of them). "
                "Remedy: give both the same names, in any order"
            )
        position = {name: k for k, name in enumerate(names)}
        values = values[:, [position[name] for name in row_names]]
        names = row_names
    return Input("dense", values=_numbers(values, "the table"), names=names, n_objects=len(names))
