"""sbmds beside NumPyro's NUTS on the same posterior, and `sbmds.fit` beside the command line.

    peers.py [--cells 100:full 100:dispersed:10 ...] [--sampler nuts jhmc] [--arithmetic auto f64] [--warmup 1000] [--draws 1000] [--x64]
    peers.py --overhead [--objects 100 1000 10000] [--turns 3]

`scripts/bench_peers` makes the environment and runs this in it.

Both sample the paper's posterior: x ~ N(0, I), sigma^2 ~ IG(1, 1), dissimilarities normal about the distances and truncated to
positive values; the same dissimilarities of the same coupled pairs, chains, iterations. One number is compared: the smallest effective
sample size of the same 200 distances, by NumPyro's own estimator, per second of processor time (of all threads) and per second of wall
time. Warm-up counts. What JAX takes to compile does not: its chains run twice, and the second run counts. NumPyro starts at the truth.
At the end stands a table for docs/python.md.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import sbmds

SIGMA = 0.2
N_DISTANCES = 200
CELLS = [f"{n_objects}:{couplings}" for n_objects in (100, 320, 1000) for couplings in ("full", "dispersed:10")]


class Stopwatch:
    """Seconds of wall time and of the processor, children included."""

    def __enter__(self):
        self.start = self.now()
        return self

    def __exit__(self, *_):
        self.wall, self.processor = np.subtract(self.now(), self.start)

    @staticmethod
    def now():
        return time.perf_counter(), sum(os.times()[:4])


def distances(draws):
    """Of the same pairs for everyone; draws are (chain, draw, object, dim)."""
    rng = np.random.default_rng(1)
    rows, columns = np.triu_indices(draws.shape[2], 1)
    chosen = rng.choice(len(rows), size=min(N_DISTANCES, len(rows)), replace=False)
    return np.linalg.norm(draws[:, :, rows[chosen]] - draws[:, :, columns[chosen]], axis=-1)


def by_sbmds(data, couplings, sampler, arithmetic, options):
    settings = {"chains": options.chains, "warmup": options.warmup, "draws": options.draws, "seed": 1, "couplings": couplings}
    settings |= {"priors": "paper", "sampler": sampler, "arithmetic": arithmetic}
    with Stopwatch() as spent:
        fit = sbmds.fit(data.distances, progress=False, if_not_converged="ignore", **settings)
        draws = fit.draws
    return fit, draws, spent


def by_numpyro(data, fit, options):
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from jax.scipy.special import log_ndtr
    from numpyro.infer import MCMC, NUTS

    pairs = fit._parts.native.coupled(10**9)
    a, b, delta = jnp.asarray(pairs[:, 0].astype(int)), jnp.asarray(pairs[:, 1].astype(int)), jnp.asarray(pairs[:, 2])
    n_objects, n_dims = data.truth.shape

    def model():
        x = numpyro.sample("x", dist.Normal(0.0, 1.0).expand([n_objects, n_dims]).to_event(2))
        sigma = jnp.sqrt(numpyro.sample("variance", dist.InverseGamma(1.0, 1.0)))
        d = jnp.sqrt(jnp.sum((x[a] - x[b]) ** 2, axis=1) + 1e-12)
        numpyro.factor("pairs", jnp.sum(-0.5 * ((delta - d) / sigma) ** 2 - jnp.log(sigma) - log_ndtr(d / sigma)))

    truth = {"x": jnp.asarray(data.truth), "variance": 2 * jnp.log(SIGMA)}
    start = {name: jnp.broadcast_to(value, (options.chains, *jnp.shape(value))) for name, value in truth.items()}
    mcmc = MCMC(NUTS(model), num_warmup=options.warmup, num_samples=options.draws, num_chains=options.chains, progress_bar=False)
    # The first run compiles; the second is the same program with other random numbers.
    for key in (1, 2):
        with Stopwatch() as spent:
            mcmc.run(jax.random.PRNGKey(key), init_params=start)
            found = {name: np.asarray(values) for name, values in mcmc.get_samples(group_by_chain=True).items()}
    return found["x"], np.sqrt(found["variance"]), spent


def peers(options):
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={options.chains}"
    import jax
    import numpyro
    from numpyro.diagnostics import effective_sample_size

    jax.config.update("jax_enable_x64", options.x64)
    print(f"sbmds {sbmds.__version__}, NumPyro {numpyro.__version__} ({'float64' if options.x64 else 'float32'}), "
          f"{options.chains} chains of {options.warmup} + {options.draws} iterations")  # fmt: skip
    titles = ("cell", "pairs", "sampler", "wall s", "cpu s", "min ESS", "ESS/cpu s", "ESS/wall s", "sigma")
    print("{:>18} {:>8} {:>14} {:>9} {:>9} {:>8} {:>10} {:>10} {:>8}".format(*titles))
    contenders = [(sampler, arithmetic) for sampler in options.sampler for arithmetic in options.arithmetic]
    table = []
    for cell in options.cells:
        n_objects, couplings = cell.split(":", 1)
        data = sbmds.simulate(objects=int(n_objects), noise="truncated-normal", sd=SIGMA, seed=1)
        rates = {}
        for sampler, arithmetic in [*contenders, ("NumPyro", None)]:
            if sampler == "NumPyro":
                name, (draws, sigma, spent) = sampler, by_numpyro(data, fit, options)
            else:
                fit, draws, spent = by_sbmds(data, couplings, sampler, arithmetic, options)
                name, sigma = sampler if len(options.arithmetic) == 1 else f"{sampler} {arithmetic}", fit.sigma
            ess = float(np.min(effective_sample_size(distances(draws))))
            rates[name] = np.array([ess / spent.processor, ess / spent.wall])
            print(f"{cell:>18} {fit.details['n_pairs']:8} {name:>14} {spent.wall:9.2f} {spent.processor:9.2f} {ess:8.0f} "
                  f"{rates[name][0]:10.1f} {rates[name][1]:10.1f} {sigma.mean():8.4f}", flush=True)  # fmt: skip
        table.append((n_objects, couplings, fit.details["n_pairs"], rates))
    print(markdown(table))


def markdown(table):
    """Effective draws per second of the processor, as a table for the documentation."""
    names = [name for name in table[0][3] if name != "NumPyro"]
    header = ["objects", "couplings", "pairs", *(f"sbmds, {name}" for name in names), "NumPyro", *(f"{name} / NumPyro" for name in names)]
    lines = [header, ["---"] * len(header)]
    for n_objects, couplings, n_pairs, rates in table:
        by_cpu = {name: rate[0] for name, rate in rates.items()}
        ratios = [f"{by_cpu[name] / by_cpu['NumPyro']:.1f}" for name in names]
        numbers = [f"{by_cpu[name]:,.1f}" for name in [*names, "NumPyro"]]
        lines.append([n_objects, couplings, f"{n_pairs:,}", *numbers, *ratios])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def overhead(options):
    """`sbmds.fit` on an array and the command line on the same array in a file, in turns; seconds of the processor, one thread."""
    print(f"{'N':>6} {'couplings':>12} {'sbmds.fit s':>12} {'command s':>10} {'ratio':>6} {'peak above the array, MB':>25} {'array, MB':>10}")
    for n_objects in options.objects:
        couplings = "full" if n_objects <= 1000 else "dispersed:20"
        # Enough iterations for seconds of work.
        n_iterations = {100: 4000, 1000: 60}.get(n_objects, 100)
        settings = {"chains": 1, "warmup": n_iterations, "draws": n_iterations, "seed": 1, "couplings": couplings, "threads": 1}
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "data.npy"
            np.save(path, sbmds.simulate(objects=n_objects, seed=1).distances)
            turns = [(in_python(path, settings), by_command(path, settings, scratch)) for _ in range(options.turns)]
        python, command = np.median([[ours[0], theirs] for ours, theirs in turns], axis=0)
        peak = max(ours[1] for ours, _ in turns)
        print(f"{n_objects:6} {couplings:>12} {python:12.2f} {command:10.2f} {python / command:6.3f} {peak:25.0f} "
              f"{8e-6 * n_objects**2:10.0f}", flush=True)  # fmt: skip


IN_PYTHON = """
import json, os, sys, time
import numpy as np, sbmds
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024
data, settings = np.load(sys.argv[1]), json.loads(sys.argv[2])
before, start = peak(), sum(os.times()[:2])
fit = sbmds.fit(data, progress=False, if_not_converged="ignore", **settings)
print(sum(os.times()[:2]) - start, peak() - before)
"""


def in_python(path, settings):
    """Seconds of the processor and growth of memory in MB, in a process of its own; loading the array does not count."""
    import json

    done = subprocess.run([sys.executable, "-c", IN_PYTHON, path, json.dumps(settings)], capture_output=True, text=True, check=True)
    return tuple(map(float, done.stdout.split()))


def by_command(path, settings, scratch):
    """Seconds of the processor of the program that the package brings, but for starting Python."""
    program = [sys.executable, "-m", "sbmds"]
    flags = [f"--{name}={value}" for name, value in settings.items()]
    with Stopwatch() as idle:
        subprocess.run([*program, "--version"], capture_output=True, check=True)
    with Stopwatch() as spent:
        words = [*program, "fit", path, "--no-report", "--overwrite", "--out", Path(scratch) / "run", *flags]
        done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return spent.processor - idle.processor


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", nargs="+", default=CELLS)
    parser.add_argument("--sampler", nargs="+", default=["nuts"])
    parser.add_argument("--chains", type=int, default=2)
    parser.add_argument("--warmup", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--arithmetic", nargs="+", default=["auto"])
    parser.add_argument("--x64", action="store_true", help="NumPyro in float64 instead of its default float32")
    parser.add_argument("--overhead", action="store_true", help="sbmds.fit beside the command line")
    parser.add_argument("--objects", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--turns", type=int, default=3)
    warnings.simplefilter("ignore")
    options = parser.parse_args()
    overhead(options) if options.overhead else peers(options)
