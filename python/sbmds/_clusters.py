"""Clusters of a fit, with their uncertainty."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._errors import translated
from ._tables import table

if TYPE_CHECKING:
    from ._result import Fit


@dataclass(frozen=True)
class Clusters:
    """The partition that says best what the draws agree on, and how sure each object is in it."""

    #: The objects.
    names: list[str]
    #: Cluster of each object, from 0 for the largest; -1 for noise.
    labels: NDArray[np.int32]
    #: Mean probability to share a cluster with the other members of its own; of noise, to be noise.
    confidence: NDArray[np.float64]
    #: Mean membership strength over the draws.
    membership: NDArray[np.float64]
    #: Clusters of every draw looked at, (draw, object).
    draw_labels: NDArray[np.int32]
    #: Everything in numbers, as in ``clusters/summary.json`` of a run.
    details: dict[str, Any] = field(repr=False)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def table(self) -> Any:
        """By name: cluster, confidence, membership, and the share of draws in which the object is noise."""
        noise = (self.draw_labels < 0).mean(axis=0)
        columns = {"cluster": self.labels, "confidence": self.confidence, "membership": self.membership, "noise": noise}
        return table({"name": self.names, **columns}, index="name")

    def together(self, a: str, b: str) -> float:
        """The probability that two objects share a cluster.

        Parameters
        ----------
        a, b : str
            Their names.

        Returns
        -------
        float
            The share of the draws in which they do.

        Examples
        --------
        >>> import numpy as np, sbmds
        >>> X = np.random.default_rng(1).normal(size=(20, 2)) + np.repeat([[0, 0], [15, 0]], 10, axis=0)
        >>> fit = sbmds.fit(X, metric="euclidean", chains=2, draws=1500)
        >>> clusters = fit.cluster(min_points=4, draws=50)
        >>> clusters.together("0", "1") > 0.9, clusters.together("0", "19") < 0.1
        (True, True)
        """
        first, second = (self.draw_labels[:, self.names.index(name)] for name in (a, b))
        return float(np.mean((first >= 0) & (first == second)))

    def __repr__(self) -> str:
        n_noise = int((self.labels < 0).sum())
        sizes = ", ".join(str(int((self.labels == k).sum())) for k in range(self.n_clusters))
        return f"<sbmds.Clusters: {self.n_clusters} clusters ({sizes}), {n_noise} noise; {len(self.draw_labels)} draws>"


def default_min_points(n_objects: int) -> int:
    """The fewest objects that make a cluster, as ``sbmds cluster`` has it."""
    # Rounds half away from zero, as the program does.
    half_root = int(np.floor(np.sqrt(n_objects) / 2.0 + 0.5))
    return max(min(max(half_root, 5), n_objects // 2), 2)


def clusters_of(
    fit: Fit, min_points: int | None, min_samples: int | None, selection: str, draws: int, seed: int, threads: int | None
) -> Clusters:
    """HDBSCAN over the draws of a fit."""
    if draws < 1:
        raise ValueError("draws: nothing to cluster. Remedy: give at least 1")
    points = default_min_points(fit.n_objects) if min_points is None else min_points
    samples = points if min_samples is None else min_samples
    try:
        found = _native.cluster_draws(fit._parts.native, points, samples, selection, draws, seed, threads)
    except (ValueError, OSError) as error:
        raise translated(error) from None
    kept = {name: found[name] for name in ("labels", "confidence", "membership", "draw_labels")}
    return Clusters(fit.names, **kept, details=json.loads(found["summary"]))
