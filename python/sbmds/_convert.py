"""Draws for xarray and ArviZ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import needed

if TYPE_CHECKING:
    from ._result import Fit


def _groups(fit: Fit, what: str) -> dict[str, Any]:
    """The posterior and the statistics of the sampler, as datasets."""
    xarray = needed("xarray", what)
    coords = {
        "chain": np.arange(fit.n_chains),
        "draw": np.arange(fit.n_draws),
        "object": fit.names,
        "dim": np.arange(fit.dims),
    }
    posterior, stats = fit._parts["variables"]
    groups: dict[str, Any] = {}
    for group, variables in (("posterior", posterior), ("sample_stats", stats)):
        arrays = {
            name: (("chain", "draw", *(axis for axis, _ in axes)), fit.variable(name)) for name, _, axes in variables
        }
        if group == "posterior" and fit._parts["config"]["run"]["keep"] != "summary":
            arrays = {"x": (("chain", "draw", "object", "dim"), fit.draws), **arrays}
        used = {axis for dims, _ in arrays.values() for axis in dims} | {"chain", "draw"}
        attributes = {"inference_library": "sbmds", "inference_library_version": fit.details["sbmds_version"]}
        known = {name: values for name, values in coords.items() if name in used}
        groups[group] = xarray.Dataset(arrays, coords=known, attrs=attributes)
    return groups


def to_datatree(fit: Fit) -> Any:
    """An ``xarray.DataTree`` with the groups ``posterior`` and ``sample_stats``."""
    xarray = needed("xarray", "to_datatree()")
    return xarray.DataTree.from_dict({f"/{name}": data for name, data in _groups(fit, "to_datatree()").items()})


def to_arviz(fit: Fit) -> Any:
    """What the installed version of ArviZ works with."""
    arviz = needed("arviz", "to_arviz()")
    if hasattr(arviz, "InferenceData"):
        return arviz.InferenceData(**_groups(fit, "to_arviz()"))
    return to_datatree(fit)
