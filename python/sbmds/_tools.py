"""Tools beside fits: HDBSCAN, simulated data, the log-likelihood, and comparisons."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _inputs, _native
from ._errors import translated
from ._fit import open as open_run
from ._result import Fit
from ._tables import table

Array = NDArray[np.float64]


class Hdbscan(NamedTuple):
    """Clusters of points."""

    #: Cluster of each point, from 0 for the largest; -1 for noise.
    labels: NDArray[np.int32]
    #: How strongly each point belongs to its cluster.
    probabilities: Array
    #: How far out each point is.
    outlier_scores: Array


def hdbscan(
    points: ArrayLike,
    min_cluster_size: int = 5,
    min_samples: int | None = None,
    selection: Literal["eom", "leaf"] = "eom",
) -> Hdbscan:
    """Cluster points by HDBSCAN, exactly, without a fit.

    Settings and answers mean what they mean in scikit-learn; ties are broken by a fixed order, so that the answer depends on the
    points alone.

    Parameters
    ----------
    points : array_like, shape (N, D)
        The points.
    min_cluster_size : int, default 5
        The fewest points that make a cluster.
    min_samples : int, optional
        Points within the core distance, the point itself counted; by default `min_cluster_size`.
    selection : {"eom", "leaf"}
        How clusters are selected from the hierarchy.

    Returns
    -------
    Hdbscan
        labels, probabilities, outlier_scores.

    Examples
    --------
    >>> import numpy as np, sbmds
    >>> points = np.random.default_rng(1).normal(size=(40, 2)) + np.repeat([[0, 0], [20, 0]], 20, axis=0)
    >>> sbmds.hdbscan(points).labels.max() + 1
    np.int32(2)
    """
    array = np.ascontiguousarray(points, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(f"points: two dimensions (points, coordinates) are needed, not {array.ndim}. Remedy: reshape them")
    try:
        found = _native.hdbscan(array, min_cluster_size, min_cluster_size if min_samples is None else min_samples, selection)
    except ValueError as error:
        raise translated(error) from None
    return Hdbscan(found["labels"], found["probabilities"], found["outlier_scores"])


class Simulation(NamedTuple):
    """Simulated dissimilarities and the truth they are of."""

    #: Dissimilarities with noise, (N, N).
    distances: Array
    #: True locations, (N, D).
    truth: Array
    #: Distances of the true locations, (N, N).
    true_distances: Array


def simulate(
    objects: int = 100,
    dims: int = 2,
    noise: Literal["half-normal", "truncated-normal", "log-normal", "none"] = "half-normal",
    sd: float = 0.2,
    seed: int = 1,
) -> Simulation:
    """Simulate dissimilarities of standard normal locations, the same as ``sbmds simulate``.

    Parameters
    ----------
    objects, dims : int
        Number of objects, and of dimensions of their true locations.
    noise : str
        What is added to the distances: |N(0, sd^2)| as in the paper, the model itself, exp(N(0, sd^2)), or nothing.
    sd : float
        Its standard deviation.
    seed : int
        Seed.

    Examples
    --------
    >>> import sbmds
    >>> data = sbmds.simulate(objects=5, dims=2, noise="none", seed=1)
    >>> bool((data.distances == data.true_distances).all()), data.truth.shape
    (True, (5, 2))
    """
    if objects < 3 or dims < 1 or not (np.isfinite(sd) and sd >= 0):
        raise ValueError("objects must be 3 or more, dims 1 or more, sd a number from 0")
    return Simulation(*_native.simulate(objects, dims, noise, float(sd), seed))


@overload
def log_likelihood(
    data: Any,
    x: ArrayLike,
    sigma: float,
    *,
    gradient: Literal[False] = ...,
    couplings: str = ...,
    order: Literal["shuffle", "given"] = ...,
    noise: str = ...,
    seed: int = ...,
    metric: str | None = ...,
) -> float: ...
@overload
def log_likelihood(
    data: Any,
    x: ArrayLike,
    sigma: float,
    *,
    gradient: Literal[True],
    couplings: str = ...,
    order: Literal["shuffle", "given"] = ...,
    noise: str = ...,
    seed: int = ...,
    metric: str | None = ...,
) -> tuple[float, Array]: ...
def log_likelihood(
    data: Any,
    x: ArrayLike,
    sigma: float,
    *,
    gradient: bool = False,
    couplings: str = "auto",
    order: Literal["shuffle", "given"] = "shuffle",
    noise: str = "truncated-normal",
    seed: int = 1,
    metric: str | None = None,
) -> float | tuple[float, Array]:
    """The log-likelihood of locations, and its gradient.

    Parameters
    ----------
    data : array, table, sparse matrix or list of pairs
        Dissimilarities, or with `metric` features, as in :func:`sbmds.fit`.
    x : array_like, shape (N, D)
        Locations, in the order of the data.
    sigma : float
        Standard deviation of the noise.
    gradient : bool
        Whether to give the gradient with respect to `x` too.
    couplings, order, noise, seed : optional
        As in :func:`sbmds.fit`.

    Returns
    -------
    float, or (float, array of shape (N, D))

    Examples
    --------
    >>> import numpy as np, sbmds
    >>> data = sbmds.simulate(objects=6, seed=2)
    >>> value, slope = sbmds.log_likelihood(data.distances, data.truth, 0.3, gradient=True)
    >>> slope.shape
    (6, 2)
    """
    given = _inputs.read(data, metric)
    if given.kind == "path":
        raise ValueError("data: a path is not read here. Remedy: read it into an array, or use `sbmds eval`")
    locations = np.ascontiguousarray(x, dtype=np.float64)
    if locations.ndim != 2 or locations.shape[0] != given.n_objects:
        raise ValueError(f"x: {locations.shape} is no array of {given.n_objects} locations. Remedy: give a row per object")
    if not (np.isfinite(sigma) and sigma > 0):
        raise ValueError(f"sigma={sigma}: the noise must be a number above zero")
    try:
        native = given.native(metric)
        assert native is not None
        value, slope, _ = _native.log_likelihood(native, locations, float(sigma), gradient, couplings, order, noise, seed)
    except ValueError as error:
        raise translated(error) from None
    return value if slope is None else (value, slope)


@dataclass(frozen=True)
class Comparison:
    """One quantity in several fits."""

    #: The quantity.
    quantity: str
    #: Where it lies in each fit: mean, sd, 95% interval, effective sample size, R-hat.
    fits: Any
    #: Every two fits: Hellinger distance, P(A > B), difference of means and its standard error.
    pairs: Any


def compare(*fits: Fit | str | os.PathLike[str], quantity: str = "sigma", names: list[str] | None = None) -> Comparison:
    """Compare one quantity in several fits.

    Parameters
    ----------
    *fits : Fit or path
        Two or more fits, or directories of runs.
    quantity : str, default "sigma"
        A variable, or a name of :meth:`Fit.diagnostics`.
    names : list of str, optional
        What to call the fits; by default the name of the run, or the place in the call.

    Returns
    -------
    Comparison
        Two tables: `fits` and `pairs`.

    Examples
    --------
    >>> import sbmds
    >>> data = sbmds.simulate(objects=8, seed=1)
    >>> a, b = (sbmds.fit(data.distances, chains=2, draws=1000, seed=seed) for seed in (1, 2))
    >>> float(sbmds.compare(a, b).pairs["hellinger"].iloc[0]) < 0.2
    True
    """
    if len(fits) < 2:
        raise ValueError("fits: two or more are needed to compare")
    opened = [fit if isinstance(fit, Fit) else open_run(fit) for fit in fits]
    try:
        found = json.loads(_native.compare([fit._parts.native for fit in opened], quantity))
    except (ValueError, OSError) as error:
        raise translated(error) from None
    called = names or [f"fit {k + 1}" if fit.path is None else fit.path.name for k, fit in enumerate(opened)]
    rows = [{**row, "low": row["interval"][0], "high": row["interval"][1], "name": name} for row, name in zip(found["runs"], called)]
    titles = ["name", "mean", "sd", "low", "high", "ess", "rhat"]
    two = [(a, b) for a in range(len(called)) for b in range(a + 1, len(called))]
    numbers = ["hellinger", "probability_greater", "difference", "difference_error"]
    pairs = {"a": [called[a] for a, _ in two], "b": [called[b] for _, b in two]}
    pairs |= {title: [pair[title] for pair in found["pairs"]] for title in numbers}
    return Comparison(found["quantity"], table({title: [row[title] for row in rows] for title in titles}, index="name"), table(pairs))
