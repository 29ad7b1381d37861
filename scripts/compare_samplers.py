#!/usr/bin/env python3
"""Fits the same data with several samplers and compares the smallest effective sample sizes, warm-up included.

    scripts/compare_samplers.py [--samplers nuts,jhmc] [--seeds 1,2,3] SBMDS INPUT [flags of `sbmds fit`]

prints for every sampler the means over the seeds: seconds of the processor and gradients of the whole fit, the smallest bulk and the
smallest tail effective sample size of the monitored quantities, both per second and per 1,000 gradients; the largest R-hat of any
seed, and how many fits converged.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def seconds_of_children():
    user_and_system = os.times()[2:4]
    return sum(user_and_system)


def fit(sbmds, arguments, sampler, seed):
    with tempfile.TemporaryDirectory() as directory:
        run = Path(directory, "run")
        command = [sbmds, "fit", *arguments, "--sampler", sampler, "--seed", seed, "--out", run, "--no-report"]
        before = seconds_of_children()
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        seconds = seconds_of_children() - before
        if ended.returncode not in (0, 1):
            sys.exit(ended.stderr)
        summary = json.loads(Path(run, "summary.json").read_text())
        with open(run / "diagnostics.csv", newline="") as file:
            rows = list(csv.DictReader(file))
    bulk, tail = (min(rows, key=lambda row: float(row[name] or "inf")) for name in ("ess_bulk", "ess_tail"))
    return {
        "seconds": seconds,
        "gradients": summary["n_gradients"] + summary["n_warmup_gradients"],
        "kept": summary["n_gradients"],
        "bulk": float(bulk["ess_bulk"]),
        "tail": float(tail["ess_tail"]),
        "slowest": bulk["quantity"],
        "rhat": max(float(row["rhat"] or 0) for row in rows),
        "converged": summary["chains"]["converged"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samplers", default="nuts,jhmc")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("sbmds")
    options, arguments = parser.parse_known_args()
    print(f"{'sampler':>8} {'cpu s':>8} {'gradients':>10} {'kept':>10} {'bulk':>7} {'tail':>7} {'bulk/s':>8} {'tail/s':>8} "
          f"{'per 1,000 gradients':>20} {'R-hat':>6} {'converged':>9}  slowest")  # fmt: skip
    for sampler in options.samplers.split(","):
        fits = [fit(options.sbmds, arguments, sampler, seed) for seed in options.seeds.split(",")]
        mean = {name: sum(fit[name] for fit in fits) / len(fits) for name in ("seconds", "gradients", "kept", "bulk", "tail")}
        rates = [mean[name] / mean["seconds"] for name in ("bulk", "tail")]
        per_gradients = [1000 * mean[name] / mean["gradients"] for name in ("bulk", "tail")]
        print(f"{sampler:>8} {mean['seconds']:8.2f} {mean['gradients']:10.0f} {mean['kept']:10.0f} {mean['bulk']:7.0f} {mean['tail']:7.0f} "
              f"{rates[0]:8.1f} {rates[1]:8.1f} {per_gradients[0]:10.2f} {per_gradients[1]:9.2f} {max(fit['rhat'] for fit in fits):6.3f} "
              f"{sum(fit['converged'] for fit in fits):3} of {len(fits)}   {', '.join(sorted({fit['slowest'] for fit in fits}))[:60]}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
