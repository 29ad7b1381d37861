"""What a fit expects of pairs, and where it places objects that it has not seen."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._errors import translated
from ._tables import table

if TYPE_CHECKING:
    from ._result import Fit

Array = NDArray[np.float64]

#: Kinds of pairs that a fit knows.
KINDS = ("measured", "coupled", "missing")


@dataclass(frozen=True)
class Placed:
    """New objects on the map of a fit, which stays as it is."""

    #: The new objects.
    names: list[str]
    #: Posterior means of their locations, (object, dim).
    map: Array
    #: Posterior covariances of their locations, (object, dim, dim).
    covariance: Array = field(repr=False)
    #: Their locations in some draws of the map, (draw, object, dim).
    draws: Array = field(repr=False)
    #: Root mean squared residual of each.
    stress: Array = field(repr=False)
    #: How many objects of the map each was measured against.
    n_pairs: NDArray[np.int64] = field(repr=False)
    #: In how many modes each may be.
    n_modes: NDArray[np.int64] = field(repr=False)

    @property
    def sd(self) -> Array:
        """Posterior standard deviation of every coordinate, (object, dim)."""
        return np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2))

    @property
    def table(self) -> Any:
        """By name: location, standard deviation, stress, number of pairs and of modes."""
        dims = range(self.map.shape[1])
        columns: dict[str, Any] = {"name": self.names}
        columns |= {f"x{dim + 1}": self.map[:, dim] for dim in dims} | {f"sd{dim + 1}": self.sd[:, dim] for dim in dims}
        return table({**columns, "stress": self.stress, "pairs": self.n_pairs, "modes": self.n_modes}, index="name")


def predicted(fit: Fit, pairs: Any, level: float, draws: int) -> Any:
    """The table of :meth:`Fit.predict`."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level}: give a probability between 0 and 1")
    if draws < 1:
        raise ValueError("draws: nothing to predict from. Remedy: give at least 1")
    if isinstance(pairs, str):
        if pairs not in KINDS:
            raise ValueError(f"pairs={pairs!r}: give a list of (name, name), or one of {', '.join(KINDS)}")
        kind, first, second = pairs, [], []
    else:
        ends = [tuple(pair)[:2] for pair in _rows(pairs)]
        kind, first, second = "listed", [fit._index(str(a)) for a, _ in ends], [fit._index(str(b)) for _, b in ends]
    try:
        found = fit._parts.native.predict(kind, first, second, level, draws)
    except (ValueError, OSError) as error:
        raise translated(error) from None
    titles = ["observed", "distance", "mean", "sd", "low", "high", "below"]
    columns: dict[str, Any] = {end: [fit.names[int(k)] for k in found[:, at]] for at, end in enumerate("ab")}
    columns |= {title: found[:, 2 + at] for at, title in enumerate(titles)}
    return table({**columns, "coupled": found[:, 9] > 0})


def _rows(pairs: Any) -> Iterable[Any]:
    if hasattr(pairs, "itertuples"):
        return list(pairs.itertuples(index=False))
    if hasattr(pairs, "iter_rows"):
        return list(pairs.iter_rows())
    return list(pairs)


def placed(fit: Fit, new: Any, names: Any, draws: int, seed: int) -> Placed:
    """The objects of :meth:`Fit.place`."""
    if draws < 1:
        raise ValueError("draws: nothing to place objects in. Remedy: give at least 1")
    values, own = _columns(fit, new)
    called = [str(name) for name in names] if names is not None else own or [f"new {k}" for k in range(len(values))]
    if len(called) != len(values) or len(set(called)) != len(called):
        raise ValueError(f"names: {len(set(called))} different names are given for {len(values)} objects. Remedy: give one per object")
    native = fit._parts.native
    with tempfile.TemporaryDirectory(prefix="sbmds-") as scratch:
        path = Path(scratch) / "new.npy"
        np.save(path, values)
        try:
            found = native.place(str(path), draws, seed)
        except (ValueError, OSError) as error:
            raise translated(error) from None
    stress, n_pairs, n_modes = found["objects"].T
    return Placed(called, found["mean"], found["covariance"], found["draws"], stress, n_pairs.astype(int), n_modes.astype(int))


def _columns(fit: Fit, new: Any) -> tuple[Array, list[str] | None]:
    """Dissimilarities to every object of the map, NaN where there is none; and names, if the data have them."""
    if not hasattr(new, "columns"):
        values = np.atleast_2d(np.asarray(new, dtype=np.float64))
        if values.ndim != 2 or values.shape[1] != fit.n_objects:
            shape = " x ".join(map(str, values.shape))
            raise ValueError(
                f"new: the array is {shape}, and the map has {fit.n_objects} objects. "
                "Remedy: give a row per new object and a column per object of the map, or a table with names"
            )
        return np.ascontiguousarray(values), None
    columns = [str(name) for name in new.columns]
    own: list[str] | None = None
    if hasattr(new, "iloc"):
        cells = [np.asarray(new.iloc[:, k]) for k in range(len(columns))]
        if list(new.index) != list(range(len(new))):
            own = [str(name) for name in new.index]
    else:
        cells = [np.asarray(new.get_column(name).to_numpy()) for name in new.columns]
    if columns and cells[0].dtype.kind not in "fiub" and columns[0] not in fit._parts.positions:
        own, columns, cells = [str(name) for name in cells[0]], columns[1:], cells[1:]
    values = np.full((len(new), fit.n_objects), np.nan)
    for name, column in zip(columns, cells):
        values[:, fit._index(name)] = column.astype(np.float64)
    return values, own
