"""Smallest effective sample size per second of sbmds and of NumPyro's NUTS, on the same posterior.

Both see the same dissimilarities under the same priors (N(0, I) for locations, IG(1, 1) for sigma^2,
the normal noise truncated at zero), draw one chain on one thread with the same numbers of iterations, and are judged by the
same estimator on the same quantities: sigma and the distances of 50 pairs, coupled or not. Seconds are those of the processor. Warm-up counts; what JAX
takes to compile does not. sbmds runs as a program: reading its input and writing its draws counts. Of dispersed couplings each
side draws its own offsets, by the same rule.
"""
import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax.scipy.special import log_ndtr
from numpyro.diagnostics import effective_sample_size
from numpyro.infer import MCMC, NUTS, init_to_value

ROOT = Path(__file__).resolve().parent.parent
N_DIMS = 2
SIGMA = 0.2
N_MONITORED = 50


def simulate(n_objects, rng):
    """Locations, and dissimilarities of all pairs: positive normal around the distances."""
    x = rng.standard_normal((n_objects, N_DIMS))
    distance = np.linalg.norm(x[:, None] - x[None, :], axis=2)
    delta = distance + SIGMA * rng.standard_normal(distance.shape)
    while (delta <= 0).any():
        again = distance + SIGMA * rng.standard_normal(distance.shape)
        delta = np.where(delta <= 0, again, delta)
    delta = np.triu(delta, 1)
    return x, delta + delta.T


def coupled_pairs(n_objects, couplings, rng):
    """The lower and upper ends of the coupled pairs."""
    lower, upper = np.triu_indices(n_objects, 1)
    if couplings != "full":
        bands = int(couplings.removeprefix("dispersed:"))
        offsets = rng.choice(np.arange(1, (n_objects - 1) // 2 + 1), bands, replace=False)
        gap = upper - lower
        keep = np.isin(np.minimum(gap, n_objects - gap), offsets)
        lower, upper = lower[keep], upper[keep]
    return lower, upper


def model(lower, upper, delta, n_objects):
    x = numpyro.sample("x", dist.Normal(0.0, 1.0).expand([n_objects, N_DIMS]).to_event(2))
    variance = numpyro.sample("variance", dist.InverseGamma(1.0, 1.0))
    sigma = jnp.sqrt(variance)
    distance = jnp.sqrt(jnp.sum((x[lower] - x[upper]) ** 2, axis=1) + 1e-12)
    normal = -0.5 * ((delta - distance) / sigma) ** 2 - jnp.log(sigma)
    numpyro.factor("likelihood", jnp.sum(normal - log_ndtr(distance / sigma)))


def numpyro_draws(problem, options):
    """Draws of locations and sigma, and the seconds, compiling apart."""
    x, lower, upper, delta = problem
    data = (jnp.asarray(lower), jnp.asarray(upper), jnp.asarray(delta, dtype=jnp.float32), len(x))

    start = init_to_value(values={"x": jnp.asarray(x), "variance": SIGMA**2})
    kernel = NUTS(model, init_strategy=start)
    mcmc = MCMC(kernel, num_warmup=options.warmup, num_samples=options.draws, progress_bar=False)
    # The first run compiles; the second is the same program with other random numbers.
    for key in (1, 2):
        begin = time.process_time()
        mcmc.run(jax.random.PRNGKey(key), *data)
        draws = {name: np.asarray(values) for name, values in mcmc.get_samples().items()}
        seconds = time.process_time() - begin
    return draws["x"], np.sqrt(draws["variance"]), seconds


def children_seconds():
    times = os.times()
    return times.children_user + times.children_system


def sbmds_draws(matrix, couplings, options, folder, arithmetic):
    """Draws of locations and sigma, and the seconds of the whole program."""
    np.save(folder / "delta.npy", matrix)
    run = folder / f"run-{arithmetic}"
    flags = f"--priors paper --couplings {couplings} --chains 1 --warmup {options.warmup} --draws {options.draws} --threads 1"
    words = [options.sbmds, "fit", folder / "delta.npy", "--out", run, *flags.split(), "--no-report"]
    begin = children_seconds()
    ended = subprocess.run([*words, "--arithmetic", arithmetic], capture_output=True, text=True)
    # 1 says that one short chain proves no convergence.
    if ended.returncode not in (0, 1):
        raise SystemExit(ended.stderr)
    seconds = children_seconds() - begin
    arrays = folder / f"arrays-{arithmetic}"
    subprocess.run([options.sbmds, "export", run, "--out", arrays, "--raw"], check=True, capture_output=True)
    return np.load(arrays / "draws.npy")[0], np.load(arrays / "sigma.npy")[0], seconds


def smallest_ess(locations, sigma, monitored):
    series = [sigma] + [np.linalg.norm(locations[:, a] - locations[:, b], axis=1) for a, b in monitored]
    return min(effective_sample_size(np.asarray(one, dtype=float)[None, :]) for one in series)


def compare(n_objects, couplings, options):
    rng = np.random.default_rng(options.seed)
    x, all_deltas = simulate(n_objects, rng)
    lower, upper = coupled_pairs(n_objects, couplings, rng)
    problem = (x, lower, upper, all_deltas[lower, upper])
    monitored = [rng.choice(n_objects, 2, replace=False) for _ in range(N_MONITORED)]
    rates, means = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.arithmetic + ["NumPyro"]:
            if name == "NumPyro":
                locations, sigma, seconds = numpyro_draws(problem, options)
            else:
                locations, sigma, seconds = sbmds_draws(all_deltas, couplings, options, Path(folder), name)
            ess = smallest_ess(locations, sigma, monitored)
            rates[name], means[name] = ess / seconds, sigma.mean()
            print(f"  {n_objects:6} {couplings:14} {len(lower):8} {name:8} {seconds:9.2f} s {ess:7.0f} ESS "
                  f"{rates[name]:10.2f} ESS/s   sigma {means[name]:.4f}", flush=True)
    ratios = ", ".join(f"{name}: {rates[name] / rates['NumPyro']:.1f}" for name in options.arithmetic)
    print(f"  {n_objects:6} {couplings:14} times NumPyro's ESS/s: {ratios}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words = lambda text: text.split(",")
    parser.add_argument("--objects", type=words, default=["100", "320", "1000"])
    parser.add_argument("--couplings", type=words, default=["full", "dispersed:10"])
    parser.add_argument("--arithmetic", type=words, default=["auto", "f64"])
    parser.add_argument("--warmup", type=int, default=500)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sbmds", default=ROOT / "target/release/sbmds")
    options = parser.parse_args()
    print(f"NumPyro {numpyro.__version__}, JAX {jax.__version__}; one chain, one thread, {options.warmup} iterations of warm-up "
          f"and {options.draws} draws", flush=True)
    for n_objects in map(int, options.objects):
        for couplings in options.couplings:
            compare(n_objects, couplings, options)


if __name__ == "__main__":
    main()
