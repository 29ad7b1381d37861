"""Progress of a fit: a bar on a terminal or in a notebook, or a function of the caller."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ._errors import found, in_python


class ChainProgress(NamedTuple):
    """How far one chain is."""

    iteration: int
    n_iterations: int
    n_warmup: int
    divergences: int
    step_size: float
    seconds: float


Chains = list["ChainProgress | None"]


def n_chains(chains: int | None, chain: int | None, config: str | os.PathLike[str] | None, resumed: Any) -> int:
    """How many chains a fit is going to have: as asked for, as a configuration has it, or as the run has that goes on."""
    path = Path(resumed) / "config.toml" if resumed is not None else None if config is None else Path(config)
    run: dict[str, Any] = {}
    if path is not None:
        try:
            run = tomllib.loads(path.read_text(encoding="utf-8")).get("run", {})
        except (OSError, ValueError):
            # The fit says what is wrong with it.
            pass
    if chain is not None or run.get("chain") is not None:
        return 1
    return int(chains if isinstance(chains, int) else run.get("chains", 4))


class Watch:
    """Collects warnings and shows progress; called several times a second."""

    def __init__(self, progress: bool | None | Callable[[Chains], None], n_chains: int) -> None:
        self.warnings: list[str] = []
        self.notes: list[str] = []
        self._show = _display(progress, n_chains)

    def __call__(self, chains: list[tuple[Any, ...] | None], notes: list[str], warnings: list[str]) -> None:
        self.notes += [in_python(note) for note in notes]
        self.warnings += [in_python(warning) for warning in warnings]
        if self._show is not None and chains:
            self._show([None if chain is None else ChainProgress(*chain) for chain in chains])

    def end(self) -> None:
        """Nothing more comes."""
        close = getattr(self._show, "close", None)
        if close is not None:
            close()


def _display(progress: bool | None | Callable[[Chains], None], n_chains: int) -> Callable[[Chains], None] | None:
    if callable(progress):
        return progress
    if progress is False or (progress is None and not (_in_notebook() or sys.stderr.isatty())):
        return None
    tqdm = found("tqdm.auto")
    return _Tqdm(tqdm, n_chains) if tqdm is not None else _Line(n_chains)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


def _state(chains: Chains, n_chains: int) -> tuple[int, int, str]:
    """Iterations done and to do, and what the chains are at."""
    known = [chain for chain in chains if chain is not None]
    per_chain = max((chain.n_iterations for chain in known), default=1)
    done = sum(chain.iteration for chain in known)
    # Chains that wait for others to end are not known yet.
    is_warm = bool(known) and all(chain.iteration >= chain.n_warmup for chain in known)
    divergences = sum(chain.divergences for chain in known)
    words = "sampling" if is_warm else "warm-up"
    return done, per_chain * max(n_chains, len(chains)), words + (f", {divergences} divergences" if divergences else "")


class _Tqdm:
    """A bar of tqdm, which knows notebooks."""

    def __init__(self, tqdm: Any, n_chains: int) -> None:
        self._n_chains = n_chains
        chains = "1 chain" if n_chains == 1 else f"{n_chains} chains"
        self._bar = tqdm.tqdm(total=None, desc=f"sbmds, {chains}", unit="it", leave=False)

    def __call__(self, chains: Chains) -> None:
        done, total, words = _state(chains, self._n_chains)
        self._bar.total = total
        self._bar.set_postfix_str(words, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        self._bar.close()


class _Line:
    """One line on standard error."""

    def __init__(self, n_chains: int) -> None:
        self._n_chains = n_chains
        self._length = 0

    def __call__(self, chains: Chains) -> None:
        done, total, words = _state(chains, self._n_chains)
        filled = 30 * done // max(total, 1)
        self._write(f"sbmds [{'#' * filled}{'.' * (30 - filled)}] {100 * done // max(total, 1):3d}%  {words}")

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._length))
        sys.stderr.flush()
        self._length = len(text)

    def close(self) -> None:
        self._write("")
        sys.stderr.write("\r")
