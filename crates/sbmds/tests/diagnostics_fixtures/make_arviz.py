"""Makes chains.csv (seeded synthetic chains) and arviz.csv (what ArviZ says about them)."""

import csv
import warnings
from pathlib import Path

import arviz as az
import numpy as np
from arviz.stats.diagnostics import _rhat, _split_chains, _z_fold, _z_scale

HERE = Path(__file__).parent
rng = np.random.default_rng(20210901)


def ar1(n_chains, n_draws, rho):
    """Stationary AR(1) chains with unit variance."""
    noise = rng.standard_normal((n_chains, n_draws))
    x = np.empty_like(noise)
    x[:, 0] = noise[:, 0]
    for t in range(1, n_draws):
        x[:, t] = rho * x[:, t - 1] + np.sqrt(1 - rho**2) * noise[:, t]
    return x


def metropolis(n_chains, n_draws, step):
    """Random-walk Metropolis on a standard normal: rejected proposals repeat the draw exactly."""
    x = np.empty((n_chains, n_draws))
    for c in range(n_chains):
        now = rng.standard_normal()
        for t in range(n_draws):
            proposal = now + step * rng.standard_normal()
            if np.log(rng.uniform()) < (now**2 - proposal**2) / 2:
                now = proposal
            x[c, t] = now
    return x


def with_value(x, chain, draw, value):
    x = x.copy()
    x[chain, draw] = value
    return x


def stuck(x, chain):
    x = x.copy()
    x[chain] = x[chain, 0]
    return x


CASES = {
    "iid": rng.standard_normal((4, 100)),
    "ar_090": ar1(4, 250, 0.9),
    "ar_099": ar1(4, 250, 0.99),
    "ar_negative": ar1(4, 100, -0.5),
    "cauchy": rng.standard_cauchy((4, 100)),
    "modes_between_chains": rng.standard_normal((4, 100)) + np.array([[0.0], [0.0], [6.0], [6.0]]),
    "scales_between_chains": rng.standard_normal((4, 100)) * np.array([[1.0], [1.0], [1.0], [4.0]]),
    "drifting": rng.standard_normal((4, 100)) + np.outer([0, 0, 0, 1], np.linspace(8, 0, 100)),
    "one_chain": ar1(1, 200, 0.7),
    "two_chains": ar1(2, 128, 0.3),
    "odd_length": ar1(3, 101, 0.6),
    "ties": metropolis(4, 150, 6.0),
    "integers": rng.poisson(2.0, (4, 60)).astype(float),
    "two_values": rng.integers(0, 2, (4, 50)).astype(float),
    "short": rng.standard_normal((4, 20)),
    "shortest": rng.standard_normal((2, 4)),
    "five_draws": rng.standard_normal((2, 5)),
    "too_short": rng.standard_normal((4, 3)),
    "constant": np.full((4, 10), 2.5),
    "stuck_chain": stuck(rng.standard_normal((4, 40)), 2),
    "large_offset": 1e6 + rng.standard_normal((2, 60)),
    "with_nan": with_value(rng.standard_normal((4, 20)), 1, 7, np.nan),
    "with_infinity": with_value(rng.standard_normal((4, 20)), 1, 7, np.inf),
}


def rhat(x):
    """az.rhat, and for a single chain (where az.rhat refuses) the same formulas on its two halves."""
    if len(x) > 1 or x.shape[1] < 4:
        return az.rhat(x)
    split = _split_chains(x)
    return max(_rhat(_z_scale(split)), _rhat(_z_fold(split)))


def statistics(x):
    yield "rhat", rhat(x)
    for method in ["bulk", "tail", "mean", "sd", "median"]:
        yield f"ess_{method}", az.ess(x, method=method)
    for prob in [0.05, 0.25, 0.95]:
        yield f"ess_quantile_{prob}", az.ess(x, method="quantile", prob=prob)
        yield f"mcse_quantile_{prob}", az.mcse(x, method="quantile", prob=prob)
    yield "mcse_mean", az.mcse(x, method="mean")
    yield "mcse_sd", az.mcse(x, method="sd")
    for chain, value in enumerate(az.bfmi(x)):
        yield f"bfmi_{chain}", value


def main():
    with (HERE / "chains.csv").open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["case", "chain", "draws"])
        for name, x in CASES.items():
            # Six decimals are exact in every language that reads them, and a third of the size.
            CASES[name] = x = np.round(x, 6)
            for chain, draws in enumerate(x):
                rows.writerow([name, chain, " ".join(f"{v:.6f}".rstrip("0").rstrip(".") for v in draws)])
    with (HERE / "arviz.csv").open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["case", "statistic", "value"])
        for name, x in CASES.items():
            for statistic, value in statistics(x):
                rows.writerow([name, statistic, repr(float(value))])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
