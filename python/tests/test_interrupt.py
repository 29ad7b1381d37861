"""Ctrl-C, other threads, progress, memory."""

import _thread
import gc
import threading
import time

import numpy as np
import pytest

import sbmds

LONG = {"chains": 2, "warmup": 50, "draws": 2_000_000, "seed": 1}


class PressAfterDraws:
    """Presses Ctrl-C once every chain has made some draws, from another thread."""

    def __init__(self, n_draws):
        self.n_draws, self.pressed_at = n_draws, None

    def __call__(self, chains):
        made = [0 if chain is None else chain.iteration - chain.n_warmup for chain in chains]
        if self.pressed_at is None and len(made) == 2 and min(made) >= self.n_draws:
            self.pressed_at = time.monotonic()
            threading.Thread(target=_thread.interrupt_main).start()


def test_an_interrupt_keeps_the_draws_so_far(data, recwarn):
    press = PressAfterDraws(100)
    with pytest.raises(KeyboardInterrupt) as caught:
        sbmds.fit(data.distances, progress=press, keep="all", **LONG)
    assert isinstance(caught.value, sbmds.Interrupted)
    found = caught.value.fit
    assert 100 <= found.n_draws < LONG["draws"]
    assert "draws of each chain" in str(caught.value)
    # They are the first draws of a whole fit.
    few = sbmds.fit(data.distances, progress=False, if_not_converged="ignore", **{**LONG, "draws": 100})
    assert np.array_equal(found.raw_draws[:, :100], few.raw_draws)


def test_an_interrupted_run_can_be_resumed(data, tmp_path):
    settings = {**LONG, "draws": 40_000}
    with pytest.raises(sbmds.Interrupted, match="resume=True") as caught:
        sbmds.fit(data.distances, out=tmp_path / "run", progress=PressAfterDraws(5), **settings)
    assert caught.value.fit is None
    found = sbmds.fit(out=tmp_path / "run", resume=True, progress=False)
    assert found.n_draws == 40_000


def test_an_interrupt_before_the_first_draw(data):
    press = PressAfterDraws(-1_000_000)
    with pytest.raises(KeyboardInterrupt) as caught:
        sbmds.fit(data.distances, progress=press, **{**LONG, "warmup": 1_000_000})
    assert caught.value.fit is None


class PressDuring:
    """Presses Ctrl-C when chains have begun so many iterations, in the middle of the next."""

    def __init__(self, n_iterations):
        self.n_iterations, self.is_pressed = n_iterations, False

    def __call__(self, chains):
        done = [chain.iteration for chain in chains if chain is not None]
        if not self.is_pressed and sum(done) >= self.n_iterations:
            self.is_pressed = True
            threading.Timer(0.01, _thread.interrupt_main).start()


def test_iterations_that_are_interrupted_are_made_again(tmp_path):
    """Trajectories of many steps, on many pairs: what was begun is given up, and a run that goes on has the same draws."""
    d = sbmds.simulate(objects=400, seed=2).distances
    settings = {"chains": 2, "warmup": 12, "draws": 8, "seed": 1, "sampler": "nuts", "couplings": "full"}
    quiet = {"if_not_converged": "ignore"}
    expected = sbmds.fit(d, progress=False, **settings, **quiet)
    for n_iterations in (2, 15, 30):
        run = tmp_path / str(n_iterations)
        with pytest.raises(sbmds.Interrupted):
            sbmds.fit(d, out=run, progress=PressDuring(n_iterations), **settings)
        found = sbmds.fit(out=run, resume=True, progress=False, **quiet)
        assert np.array_equal(found.draws, expected.draws) and np.array_equal(found.sigma, expected.sigma)


def test_an_interrupt_ends_a_trajectory():
    """That of a million steps on all pairs of 3,000 objects, which would take hours; and the optimiser before it."""
    data = sbmds.simulate(objects=3000, seed=2)
    settings = {"chains": 1, "warmup": 0, "draws": 1, "sampler": "hmc", "couplings": "full", "leapfrog_steps": 1_000_000, "progress": False}
    for start in ("prior", "classical"):
        threading.Timer(3.0, _thread.interrupt_main).start()
        with pytest.raises(sbmds.Interrupted) as caught:
            sbmds.fit(data.distances, start=start, **settings)
        assert caught.value.fit is None


def test_an_error_of_the_watcher_is_raised(data):
    def watch(chains):
        raise ZeroDivisionError("of mine")

    with pytest.raises(ZeroDivisionError, match="of mine"):
        sbmds.fit(data.distances, progress=watch, **LONG)


def test_other_threads_go_on(data, short):
    """The interpreter is free while a fit works."""
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    sbmds.fit(data.distances, **{**short, "draws": 3000})
    stop.set()
    thread.join()
    assert counted[0] > 1000


def test_fits_in_threads_do_not_mix(data, short):
    expected, found = sbmds.fit(data.distances, **short), [None, None]

    def work(k):
        found[k] = sbmds.fit(data.distances, **short)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(np.array_equal(fit.draws, expected.draws) for fit in found)


def test_progress_reaches_the_end(data, short):
    seen = []
    sbmds.fit(data.distances, **{**short, "progress": seen.append})
    last = [chain for chain in seen[-1] if chain is not None]
    assert last and all(chain.n_iterations == 600 and chain.n_warmup == 300 for chain in last)


def test_progress_on_a_terminal(data, short, capsys):
    sbmds.fit(data.distances, **{**short, "progress": True})
    shown = capsys.readouterr()
    assert shown.out == "" and "sbmds" in shown.err


def test_time_is_a_limit(data):
    found = sbmds.fit(data.distances, time=1.0, progress=False, if_not_converged="ignore", **LONG)
    assert 0 < found.n_draws < LONG["draws"]


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif(not __import__("os").path.exists("/proc/self/statm"), reason="Linux alone says")
def test_memory_does_not_grow_over_200_fits():
    d = sbmds.simulate(objects=150, seed=1).distances
    settings = {"chains": 1, "warmup": 3, "draws": 40, "progress": False, "if_not_converged": "ignore", "couplings": "dispersed:4"}

    def fits(n):
        for _ in range(n):
            sbmds.fit(d, **settings).draws
        gc.collect()
        return resident()

    before = fits(40)
    # Draws of one fit, twice, take 200 kB: 160 fits that stay would be 30 MB.
    assert fits(160) - before < 12e6


@pytest.mark.skipif(not __import__("os").path.exists("/proc/self/status"), reason="Linux alone says")
def test_an_array_is_not_copied():
    import subprocess
    import sys

    code = """
import numpy as np, sbmds
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024
x = np.random.default_rng(1).normal(size=(3000, 2))
D = np.empty((3000, 3000))
for k in range(3000):
    D[k] = np.sqrt(((x[k] - x) ** 2).sum(1))
before = peak()
sbmds.fit(D, couplings="dispersed:10", chains=1, warmup=2, draws=2, progress=False, if_not_converged="ignore")
print(peak() - before)
"""
    grown = float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    assert grown < 0.6 * 3000 * 3000 * 8 / 1e6
