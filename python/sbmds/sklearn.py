"""Bayesian multidimensional scaling as an estimator of scikit-learn: :class:`BayesianMDS`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._errors import ConvergenceWarning as OurWarning
from ._errors import needed
from ._fit import fit as fit_map

needed("sklearn", "sbmds.sklearn")

from joblib import effective_n_jobs  # noqa: E402
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.metrics import pairwise_distances  # noqa: E402
from sklearn.utils import check_random_state  # noqa: E402
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data  # noqa: E402

#: Metrics that sbmds computes itself, for the pairs that are used alone; scikit-learn's name and ours.
OWN_METRICS = {name: name for name in (
    "euclidean", "sqeuclidean", "manhattan", "cosine", "correlation", "braycurtis", "hamming",
)} | {"cityblock": "manhattan", "l1": "manhattan", "l2": "euclidean"}  # fmt: skip


class BayesianMDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Bayesian multidimensional scaling.

    Parameters
    ----------
    n_components : int, default 2
        Dimensions of the map.
    metric : str or callable, default "euclidean"
        How rows of X are compared, as in :func:`sklearn.metrics.pairwise_distances`; "precomputed": X holds dissimilarities,
        and NaN is a missing one.
    metric_params : dict, optional
        Further arguments of the metric.
    couplings : str, default "auto"
        Pairs that enter the likelihood.
    chains, draws, warmup : int, default 4, 1000 and 1000
        Chains, draws of each, and iterations of warm-up before them.
    random_state : int, RandomState or None, default None
        Seed.
    n_jobs : int, optional
        Threads; None and -1: all cores, -2: all but one, and so on. The answer does not depend on it.
    verbose : int, default 0
        Whether to show progress.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The posterior mean map.
    embedding_sd_ : ndarray of shape (n_samples, n_components)
        Posterior standard deviations.
    stress_ : float
        Kruskal's Stress-1 of the map over the pairs that entered the likelihood.
    sigma_ : float
        Posterior mean of the noise.
    n_iter_ : int
        Iterations of each chain, warm-up included.
    converged_ : bool
        Whether the chains can be trusted.
    fit_ : sbmds.Fit
        Everything else.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sbmds.sklearn import BayesianMDS
    >>> X = load_iris().data[::6]
    >>> mds = BayesianMDS(random_state=0, chains=2, draws=1500)
    >>> mds.fit_transform(X).shape, mds.converged_
    ((25, 2), True)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        couplings: str = "auto",
        chains: int = 4,
        draws: int = 1000,
        warmup: int = 1000,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.couplings = couplings
        self.chains = chains
        self.draws = draws
        self.warmup = warmup
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> BayesianMDS:
        """Fit the map to X; `y` is ignored.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or (n_samples, n_samples) with ``metric="precomputed"``
            Rows of features, or dissimilarities; NaN is a missing dissimilarity.

        Returns
        -------
        BayesianMDS
            Itself.

        Examples
        --------
        >>> import numpy as np
        >>> from sbmds.sklearn import BayesianMDS
        >>> D = np.array([[0.0, 3.0, 5.0], [3.0, 0.0, 4.0], [5.0, 4.0, 0.0]])
        >>> mds = BayesianMDS(metric="precomputed", random_state=0, chains=2, draws=1500).fit(D)
        >>> mds.embedding_sd_.shape
        (3, 2)
        """
        is_precomputed = self.metric == "precomputed"
        finite = "allow-nan" if is_precomputed else True
        X = validate_data(self, X, dtype=[np.float64, np.float32], order="C", ensure_all_finite=finite, ensure_min_samples=2)
        if is_precomputed and X.shape[0] != X.shape[1]:
            raise ValueError(f"X is {X.shape[0]} x {X.shape[1]}: precomputed dissimilarities must be a square matrix")
        if is_precomputed:
            check_non_negative(X, type(self).__name__)
        data, metric = self._data(X)
        found = fit_map(
            data,
            metric=metric,
            dims=self.n_components,
            couplings=self.couplings,
            chains=self.chains,
            draws=self.draws,
            warmup=self.warmup,
            seed=self._seed(),
            threads=None if self.n_jobs in (None, -1) else effective_n_jobs(self.n_jobs),
            progress=bool(self.verbose),
            if_not_converged="ignore",
        )
        if not found.converged:
            warnings.warn(found.verdict, _NotConverged, stacklevel=2)
        self._keep(found)
        self._X_fit = X
        return self

    def transform(self, X: Any) -> Any:
        """Place rows of X on the map, which stays as it is; rows that it was fitted to are where they are.

        Parameters
        ----------
        X : array of shape (n_new, n_features)
            Rows as in `fit`; with ``metric="precomputed"`` dissimilarities to the objects of the map, NaN where there is none.

        Returns
        -------
        ndarray of shape (n_new, n_components)
            Posterior means of their locations; ``fit_.place`` also has their uncertainty.

        Examples
        --------
        >>> import numpy as np
        >>> from sbmds.sklearn import BayesianMDS
        >>> X = np.random.default_rng(1).normal(size=(12, 2))
        >>> mds = BayesianMDS(random_state=0, chains=2, draws=1500).fit(X[:10])
        >>> mds.transform(X[10:]).shape
        (2, 2)
        """
        check_is_fitted(self)
        is_precomputed = self.metric == "precomputed"
        finite = "allow-nan" if is_precomputed else True
        X = validate_data(self, X, dtype=[np.float64, np.float32], order="C", ensure_all_finite=finite, reset=False)
        at = _where(X, np.asarray(self._X_fit, dtype=X.dtype))
        located = np.where(at[:, None] < 0, 0.0, self.embedding_[at])
        is_new = at < 0
        if is_new.any():
            located[is_new] = self.fit_.place(self._to_map(X[is_new]), seed=self._seed()).map
        return located

    def _to_map(self, X: Any) -> Any:
        """Dissimilarities of rows to the objects of the map."""
        if self.metric == "precomputed":
            return X
        return pairwise_distances(X, self._X_fit, metric=self.metric, **(self.metric_params or {}))

    def _data(self, X: Any) -> tuple[Any, str | None]:
        """What is fitted, and how it is compared: by sbmds where it can, else by scikit-learn."""
        if self.metric == "precomputed":
            return X, None
        if isinstance(self.metric, str) and self.metric in OWN_METRICS and not self.metric_params:
            return X, OWN_METRICS[self.metric]
        return pairwise_distances(X, metric=self.metric, **(self.metric_params or {})), None

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _keep(self, found: Any) -> None:
        self.fit_ = found
        self.embedding_ = found.map
        self.embedding_sd_ = found.sd
        judged = found.details.get("map") or {}
        self.stress_ = float(judged["stress1"]) if judged.get("stress1") is not None else np.nan
        self.sigma_ = float(found.sigma.mean())
        self.n_iter_ = self.warmup + found.n_draws
        self.converged_ = found.converged
        self._n_features_out = found.dims

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit the map to X and return it.

        Parameters
        ----------
        X : array
            As in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The posterior mean map.

        Examples
        --------
        >>> import numpy as np
        >>> from sbmds.sklearn import BayesianMDS
        >>> X = np.random.default_rng(1).normal(size=(10, 2))
        >>> BayesianMDS(random_state=0, chains=2, draws=1500).fit_transform(X).shape
        (10, 2)
        """
        self.fit(X, y)
        return self.embedding_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.allow_nan = self.metric == "precomputed"
        tags.input_tags.positive_only = self.metric == "precomputed"
        return tags


def _where(rows: Any, known: Any) -> Any:
    """For each row its number among the known ones, -1 if it is new; the first of equal rows is the first of equal known ones."""
    places: dict[bytes, list[int]] = {}
    for k, row in enumerate(known):
        places.setdefault(row.tobytes(), []).append(k)
    n_met: dict[bytes, int] = {}
    at = np.full(len(rows), -1)
    for k, row in enumerate(rows):
        key = row.tobytes()
        if key in places:
            at[k] = places[key][min(n_met.get(key, 0), len(places[key]) - 1)]
            n_met[key] = n_met.get(key, 0) + 1
    return at


class _NotConverged(OurWarning, ConvergenceWarning):  # type: ignore[misc]
    """A warning of both packages."""
