"""Maps from dissimilarities, with honest uncertainty: sparse Bayesian multidimensional scaling.

>>> import sbmds
>>> data = sbmds.simulate(objects=12, seed=1)
>>> fit = sbmds.fit(data.distances, chains=2, draws=1500, seed=1, progress=False)
>>> fit.converged
True
>>> fit.map.shape
(12, 2)
"""

from ._errors import ConvergenceWarning, FitWarning, Interrupted, NotConverged
from ._fit import fit, open
from ._judge import Placed
from ._native import __version__
from ._clusters import Clusters
from ._result import Distance, Fit
from ._tools import Comparison, Hdbscan, Simulation, compare, hdbscan, log_likelihood, simulate

__all__ = [
    "Clusters",
    "Comparison",
    "ConvergenceWarning",
    "Distance",
    "Fit",
    "FitWarning",
    "Hdbscan",
    "Interrupted",
    "NotConverged",
    "Placed",
    "Simulation",
    "__version__",
    "compare",
    "fit",
    "hdbscan",
    "log_likelihood",
    "open",
    "simulate",
]
