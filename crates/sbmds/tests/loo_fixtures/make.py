"""Makes loo.json: log-likelihoods with light and heavy tails, and what ArviZ says of them."""
import json
import sys

import arviz as az
import numpy as np
import xarray as xr

rng = np.random.default_rng(20011)
N_CHAINS, N_DRAWS = 2, 250
# Degrees of freedom of minus the log weights' tails: normal ones, and Student's with heavier and heavier tails.
columns = [0.3 * rng.normal(size=(N_CHAINS, N_DRAWS)) - 1.0]
columns += [-np.abs(rng.standard_t(df, size=(N_CHAINS, N_DRAWS))) for df in (20, 5, 2.5, 1.5)]
columns += [-0.5 * np.log(2 * np.pi) - 0.5 * (1.5 + 0.8 * rng.normal(size=(N_CHAINS, N_DRAWS))) ** 2]
log_likelihood = np.round(np.stack(columns, axis=-1), 6)

data = az.from_dict(posterior={"mu": rng.normal(size=(N_CHAINS, N_DRAWS))}, log_likelihood={"y": log_likelihood})
cases = []
for reff in (1.0, 0.35):
    loo = az.loo(data, pointwise=True, reff=reff)
    cases.append({
        "reff": reff, "elpd_loo": float(loo.elpd_loo), "se": float(loo.se), "p_loo": float(loo.p_loo),
        "elpd_i": loo.loo_i.values.tolist(), "pareto_k": loo.pareto_k.values.tolist(),
    })
pairs = log_likelihood.reshape(-1, log_likelihood.shape[-1]).T.tolist()
json.dump({"arviz": az.__version__, "log_likelihood": pairs, "cases": cases}, sys.stdout)
