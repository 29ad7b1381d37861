"""What a fit found: :class:`Fit`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _convert, _html, _judge, _native, _plots
from ._clusters import Clusters, clusters_of
from ._errors import translated
from ._judge import Placed
from ._labels import columns as label_columns
from ._labels import write_labels
from ._parts import Parts
from ._source import Source
from ._tables import table

Array = NDArray[np.float64]

#: Columns of diagnoses, as the native part gives them.
DIAGNOSES = ["mean", "sd", "q5", "median", "q95", "rhat", "ess_bulk", "ess_tail", "mcse_mean"]


class Distance(NamedTuple):
    """The distance of two objects in the posterior."""

    #: Posterior mean.
    mean: float
    #: Posterior standard deviation.
    sd: float
    #: Lower end of the interval.
    low: float
    #: Upper end of the interval.
    high: float
    #: The distance in every draw, (chain, draw).
    draws: Array

    def __repr__(self) -> str:
        return f"Distance(mean={self.mean:.4g}, sd={self.sd:.3g}, low={self.low:.4g}, high={self.high:.4g})"


class Fit:
    """A fitted map: verdict, locations with their uncertainty, and draws from the posterior.

    Made by :func:`sbmds.fit` and :func:`sbmds.open`. It pickles: a fit in memory with its draws and its data (data
    in a file by their path), a run by its directory.
    """

    def __init__(
        self, native: _native.Fitted | Parts, labels: Any = None, notes: list[str] | None = None, source: Source | None = None
    ) -> None:
        self._parts = native if isinstance(native, Parts) else Parts(native, source)
        #: How data and settings were read, where there was a choice.
        self.notes: list[str] = notes or []
        self._labels = labels

    # What it is.

    @property
    def details(self) -> dict[str, Any]:
        """Every number of the summary, as in ``summary.json`` of a run."""
        return dict(self._parts["summary"])

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting, resolved, as in ``config.toml`` of a run."""
        return dict(self._parts["config"])

    @property
    def verdict(self) -> str:
        """Whether the chains can be trusted, in words."""
        return str(self._parts["summary"]["verdict"])

    @property
    def map_verdict(self) -> str | None:
        """Whether the map describes the data, in words."""
        judged = self._parts["summary"].get("map")
        return None if judged is None else str(judged["verdict"])

    @property
    def converged(self) -> bool:
        """Whether the verdict on the chains is good."""
        return bool(self._parts["summary"]["converged"])

    @property
    def warnings(self) -> list[str]:
        """What a reader should know before trusting the numbers."""
        return list(self._parts["summary"]["warnings"])

    @property
    def names(self) -> list[str]:
        """The objects, in input order."""
        return list(self._parts["names"])

    @property
    def n_chains(self) -> int:
        """Number of chains."""
        return int(self._parts["shape"][0])

    @property
    def n_draws(self) -> int:
        """Draws of each chain."""
        return int(self._parts["shape"][1])

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return int(self._parts["shape"][2])

    @property
    def dims(self) -> int:
        """Dimensions of the map."""
        return int(self._parts["shape"][3])

    @property
    def path(self) -> Path | None:
        """The directory of the run; None if the fit is in memory."""
        path = self._parts["path"]
        return Path(path) if path is not None else None

    @property
    def labels(self) -> dict[str, list[Any]]:
        """What else is known of the objects: columns, in the order of the names."""
        given = self._labels
        if given is None:
            path = self._parts["config"]["input"].get("labels")
            given = path if path is not None and os.path.exists(path) else None
        return {} if given is None else label_columns(given, self.names)

    # The map.

    @property
    def map(self) -> Array:
        """Locations of the objects in the map shown, (object, dim)."""
        return np.asarray(self._parts["embedding"]["mean"])

    @property
    def covariance(self) -> Array:
        """Posterior covariance of every location, (object, dim, dim)."""
        return np.asarray(self._parts["embedding"]["covariance"])

    @property
    def sd(self) -> Array:
        """Posterior standard deviation of every coordinate, (object, dim)."""
        return np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2))

    @property
    def embedding(self) -> Any:
        """The map as a table by name: location, standard deviation, 95% ellipse and stress of every object.

        A DataFrame if pandas is installed, else columns by name.
        """
        found = self._parts["embedding"]
        columns: dict[str, Any] = {"name": self.names}
        columns |= {f"x{dim + 1}": self.map[:, dim] for dim in range(self.dims)}
        columns |= {f"sd{dim + 1}": self.sd[:, dim] for dim in range(self.dims)}
        titles = ["ellipse_major", "ellipse_minor", "ellipse_angle_degrees"]
        columns |= {title: found["ellipse"][:, k] for k, title in enumerate(titles)}
        return table({**columns, "stress": found["stress"]}, index="name")

    @property
    def what_is_shown(self) -> str:
        """What the map is, in words: "posterior mean", or "a central draw"."""
        return str(self._parts["what_is_shown"])

    @property
    def n_modes(self) -> int:
        """Number of modes that the chains are in."""
        return int(self._parts["mode"][1])

    def in_mode(self, mode: int) -> Fit:
        """The same fit, looked at in another of the modes that its chains are in.

        Parameters
        ----------
        mode : int
            Which one, counted from 1; :attr:`n_modes` says how many there are.

        Returns
        -------
        Fit

        Examples
        --------
        >>> import sbmds
        >>> data = sbmds.simulate(objects=8, seed=1)
        >>> fit = sbmds.fit(data.distances, chains=2, draws=300, seed=1)
        >>> fit.n_modes, fit.in_mode(1).map.shape
        (1, (8, 2))
        """
        if mode == self._parts["mode"][0]:
            return self
        try:
            return Fit(self._parts.in_mode(mode), self._labels, self.notes)
        except ValueError as error:
            raise translated(error) from None

    # The draws.

    @property
    def draws(self) -> Array:
        """Locations in every draw, aligned to the map, (chain, draw, object, dim)."""
        return np.asarray(self._parts["aligned"])

    @property
    def raw_draws(self) -> Array:
        """Locations in every draw as the sampler had them, not aligned, (chain, draw, object, dim)."""
        stored = np.asarray(self._parts["stored"])
        if not self._parts["is_stored_aligned"]:
            return stored
        # stored = R raw + shift, for every object.
        shift, rotation = self.variable("x_shift"), self.variable("x_rotation")
        rotation = rotation.reshape(self.n_chains, self.n_draws, self.dims, self.dims)
        return np.asarray((stored - shift[:, :, None, :]) @ rotation)

    @property
    def sigma(self) -> Array:
        """Standard deviation of the noise in every draw, (chain, draw)."""
        return self.variable("sigma")

    @property
    def variables(self) -> list[str]:
        """Names of what is stored besides the locations: posterior variables, then statistics of the sampler."""
        posterior, stats = self._parts["variables"]
        return [name for name, *_ in posterior + stats]

    def variable(self, name: str) -> Array:
        """A stored variable by name, (chain, draw, ...).

        Parameters
        ----------
        name : str
            One of :attr:`variables`, or a quantity of :meth:`diagnostics`.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import sbmds
        >>> data = sbmds.simulate(objects=8, seed=1)
        >>> fit = sbmds.fit(data.distances, chains=2, draws=300, seed=1)
        >>> fit.variable("log_likelihood").shape
        (2, 300)
        """
        return self._parts.variable(name)

    def distance(self, a: str, b: str, prob: float = 0.95) -> Distance:
        """The distance of two objects, with its posterior interval.

        Parameters
        ----------
        a, b : str
            Names of the objects.
        prob : float, default 0.95
            Probability of the central interval.

        Returns
        -------
        Distance
            mean, sd, low, high, draws.

        Examples
        --------
        >>> import sbmds
        >>> data = sbmds.simulate(objects=8, seed=1)
        >>> fit = sbmds.fit(data.distances, chains=2, draws=300, seed=1)
        >>> d = fit.distance("0", "5")
        >>> d.low < d.mean < d.high
        True
        """
        draws = self._distances_from(self._index(a))[..., self._index(b)]
        low, high = np.quantile(draws, _tails(prob))
        return Distance(float(draws.mean()), float(draws.std(ddof=1)), float(low), float(high), draws)

    def neighbors(self, name: str, k: int = 5, prob: float = 0.95) -> Any:
        """The probable neighbours of an object.

        Parameters
        ----------
        name : str
            The object.
        k : int, default 5
            How many neighbours are looked for in every draw.
        prob : float, default 0.95
            Probability of the intervals of the distances.

        Returns
        -------
        table
            Objects by the probability to be among the `k` nearest, with their distances; those that never are, are left out.

        Examples
        --------
        >>> import sbmds
        >>> data = sbmds.simulate(objects=8, seed=1)
        >>> fit = sbmds.fit(data.distances, chains=2, draws=300, seed=1)
        >>> neighbours = fit.neighbors("0", k=3)
        >>> round(float(neighbours["probability"].sum()), 6)
        3.0
        """
        me = self._index(name)
        distances = self._distances_from(me).reshape(-1, self.n_objects)
        k = min(k, self.n_objects - 1)
        others = np.where(np.arange(self.n_objects) == me, np.inf, distances)
        nearest = np.argpartition(others, k - 1, axis=1)[:, :k]
        probability = np.bincount(nearest.ravel(), minlength=self.n_objects) / len(others)
        mean, (low, high) = distances.mean(axis=0), np.quantile(distances, _tails(prob), axis=0)
        chosen = sorted(np.flatnonzero(probability), key=lambda other: (-probability[other], mean[other]))
        return table(
            {
                "name": [self.names[other] for other in chosen],
                "probability": probability[chosen],
                "distance": mean[chosen],
                "low": low[chosen],
                "high": high[chosen],
            },
            index="name",
        )

    def _distances_from(self, object_: int) -> Array:
        """Distances of all objects from one, (chain, draw, object); no alignment changes them."""
        x = np.asarray(self._parts["stored"])
        return np.asarray(np.linalg.norm(x - x[:, :, object_ : object_ + 1, :], axis=-1))

    def _index(self, name: str) -> int:
        positions = self._parts.positions
        if name not in positions:
            raise KeyError(f"there is no object called {name!r}. Remedy: give a name as it stands in the input")
        return positions[name]

    # What it expects.

    def predict(self, pairs: Any = "measured", level: float = 0.95, draws: int = 400) -> Any:
        """What the posterior expects of dissimilarities, and how surprising the observed ones are.

        Parameters
        ----------
        pairs : list of (name, name), table of two columns, or {"measured", "coupled", "missing"}
            The pairs.
        level : float, default 0.95
            Probability of the predictive intervals.
        draws : int, default 400
            Posterior draws to use.

        Returns
        -------
        table
            Per pair: the objects `a` and `b`, the `observed` dissimilarity (NaN if none was), the posterior mean of the `distance`,
            `mean`, `sd` and interval (`low`, `high`) of what is expected, how probable a smaller dissimilarity than the observed is
            (`below`), and whether the pair is `coupled`.

        Examples
        --------
        >>> import sbmds
        >>> data = sbmds.simulate(objects=8, seed=1)
        >>> fit = sbmds.fit(data.distances, chains=2, draws=300, seed=1)
        >>> row = fit.predict([("0", "5")]).iloc[0]
        >>> bool(row["low"] < row["mean"] < row["high"])
        True
        """
        return _judge.predicted(self, pairs, level, draws)

    def place(self, new: Any, names: Any = None, draws: int = 200, seed: int = 1) -> Placed:
        """Place new objects on the map, which stays as it is, with their uncertainty.

        Parameters
        ----------
        new : array or table
            Dissimilarities of new objects (rows) to objects of the map (columns; in a table, some of them, by name); NaN where a pair
            was not measured.
        names : sequence of str, optional
            Names of the new objects; by default those of the table.
        draws : int, default 200
            Draws of the map to place them in.
        seed : int, default 1
            Seed of everything random.

        Returns
        -------
        Placed
            names, map, covariance, sd, draws, stress, table.

        Examples
        --------
        >>> import numpy as np, sbmds
        >>> d = sbmds.simulate(objects=13, sd=0.05, seed=1).distances
        >>> fit = sbmds.fit(d[:12, :12], chains=2, draws=300, seed=1)
        >>> fit.place(d[12:, :12]).map.shape
        (1, 2)
        """
        return _judge.placed(self, new, names, draws, seed)

    # Whether to trust it.

    def summary(self) -> Any:
        """A table of the few numbers people ask for first: sigma, log-likelihood, and with a tree how fast locations diffuse.

        Returns
        -------
        table
            By quantity: mean, sd, quantiles, R-hat, effective sample sizes, Monte Carlo error.

        Examples
        --------
        >>> import sbmds
        >>> data = sbmds.simulate(objects=8, seed=1)
        >>> fit = sbmds.fit(data.distances, chains=2, draws=300, seed=1)
        >>> list(fit.summary().index)
        ['sigma', 'log_likelihood']
        """
        wanted = ["sigma", "log_likelihood", "trait_trace", "trait_logdet", "diffusion_rate"]
        there = [name for name in wanted if name in self.variables]
        return _diagnosed(there, [self.variable(name) for name in there])

    def diagnostics(self) -> Any:
        """A table of everything that the verdict looks at: log density, sigma and distances, with R-hat and effective sample sizes.

        Returns
        -------
        table
            By quantity, with the columns of :meth:`summary`.

        Examples
        --------
        >>> import sbmds
        >>> data = sbmds.simulate(objects=8, seed=1)
        >>> fit = sbmds.fit(data.distances, chains=2, draws=300, seed=1)
        >>> worst = fit.diagnostics()["rhat"].max()
        >>> bool(worst == fit.details["max_rhat"]["value"])
        True
        """
        names, draws = self._parts["monitored"]
        return _diagnosed(names, draws)

    # Elsewhere.

    def to_datatree(self) -> Any:
        """The draws as an :class:`xarray.DataTree` with the groups that ArviZ knows: ``posterior`` and ``sample_stats``.

        Returns
        -------
        xarray.DataTree

        Examples
        --------
        >>> import sbmds
        >>> data = sbmds.simulate(objects=8, seed=1)
        >>> fit = sbmds.fit(data.distances, chains=2, draws=300, seed=1)
        >>> fit.to_datatree()["posterior"]["x"].dims
        ('chain', 'draw', 'object', 'dim')
        """
        return _convert.to_datatree(self)

    def to_arviz(self) -> Any:
        """The draws as ArviZ has them: an ``InferenceData`` before ArviZ 1, an :class:`xarray.DataTree` since.

        Returns
        -------
        arviz.InferenceData or xarray.DataTree

        Examples
        --------
        >>> import sbmds
        >>> data = sbmds.simulate(objects=8, seed=1)
        >>> fit = sbmds.fit(data.distances, chains=2, draws=300, seed=1)
        >>> fit.to_arviz().posterior["sigma"].shape
        (2, 300)
        """
        return _convert.to_arviz(self)

    def plot(self, kind: str = "map", ax: Any = None, **options: Any) -> Any:
        """Draw a figure with Matplotlib.

        Parameters
        ----------
        kind : {"map", "shepard", "trace", "rank", "density", "ess"}
            The map with 95% ellipses; dissimilarities against distances; draws of sigma (or `quantity`) by iteration, by rank of
            the chains, or as a density; effective sample sizes.
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.
        **options
            Of the map: `names` (bool), `ellipses` (bool), `labels` (a column of the labels, or one label per object), `axes`
            (which two dimensions, from 0). Of trace, rank and density: `quantity` (a name of :meth:`diagnostics` or
            :attr:`variables`).

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import sbmds
        >>> data = sbmds.simulate(objects=8, seed=1)
        >>> fit = sbmds.fit(data.distances, chains=2, draws=300, seed=1)
        >>> fit.plot("map", ellipses=False).get_title(loc="left")
        'posterior mean'
        """
        return _plots.plot(self, kind, ax, **options)

    def report(self, path: str | os.PathLike[str], labels: Any = None) -> Path:
        """Write the fit as one interactive page, which opens offline in any browser.

        Parameters
        ----------
        path : path
            The file to write.
        labels : optional
            As in :func:`sbmds.fit`; those of the fit by default.

        Returns
        -------
        Path
            The file.

        Examples
        --------
        >>> import sbmds, tempfile
        >>> data = sbmds.simulate(objects=8, seed=1)
        >>> fit = sbmds.fit(data.distances, chains=2, draws=300, seed=1)
        >>> with tempfile.TemporaryDirectory() as scratch:
        ...     fit.report(scratch + "/map.html").stat().st_size > 10_000
        True
        """
        native = self._parts.native
        labels = self._labels if labels is None else labels
        with tempfile.TemporaryDirectory(prefix="sbmds-") as scratch:
            if labels is not None and not isinstance(labels, (str, os.PathLike)):
                labels = write_labels(labels, self.names, Path(scratch) / "labels.csv")
            try:
                native.report(os.fspath(path), None if labels is None else os.fspath(labels))
            except (ValueError, OSError) as error:
                raise translated(error) from None
        return Path(path)

    def cluster(
        self,
        min_points: int | None = None,
        min_samples: int | None = None,
        selection: str = "eom",
        draws: int = 200,
        seed: int = 1,
        threads: int | None = None,
    ) -> Clusters:
        """Find clusters with their uncertainty: HDBSCAN of many draws, and the partition that says best what they agree on.

        Parameters
        ----------
        min_points : int, optional
            The fewest objects that make a cluster; by default half the square root of their number, at least 5.
        min_samples : int, optional
            Objects within the core distance, the object itself counted; by default `min_points`.
        selection : {"eom", "leaf"}
            How clusters are selected from the hierarchy.
        draws : int, default 200
            Draws to cluster.
        seed : int, default 1
            Seed of the choice of draws.
        threads : int, optional
            Threads to use; the answer does not depend on it.

        Returns
        -------
        Clusters
            labels, confidence, membership, table.

        Examples
        --------
        >>> import numpy as np, sbmds
        >>> X = np.random.default_rng(1).normal(size=(20, 2)) + np.repeat([[0, 0], [15, 0]], 10, axis=0)
        >>> fit = sbmds.fit(X, metric="euclidean", chains=2, draws=1500)
        >>> fit.cluster(min_points=4, draws=50).n_clusters
        2
        """
        return clusters_of(self, min_points, min_samples, selection, draws, seed, threads)

    def __repr__(self) -> str:
        where = "in memory" if self.path is None else f"in {self.path}"
        return (
            f"<sbmds.Fit {where}: {self.n_objects} objects in {self.dims} dimensions, {self.n_chains} chains x {self.n_draws} draws>\n"
            f"{self.verdict}"
        )

    def _repr_html_(self) -> str:
        return _html.page(self)


def _tails(prob: float) -> list[float]:
    if not 0.0 < prob < 1.0:
        raise ValueError(f"prob={prob}: give a probability between 0 and 1")
    return [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]


def _diagnosed(names: list[str], draws: Any) -> Any:
    rows = [_native.diagnose(np.ascontiguousarray(values, dtype=np.float64)) for values in draws]
    numbers = np.array(rows, dtype=np.float64).reshape(-1, len(DIAGNOSES))
    return table({"quantity": list(names), **{title: numbers[:, k] for k, title in enumerate(DIAGNOSES)}}, index="quantity")
