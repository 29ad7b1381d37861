"""The parts of a fit, asked for when they are needed; a pickled fit in memory is its draws and its data."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._errors import translated
from ._source import Source

#: Pairs of Shepard's plot.
MOST_PAIRS = 200_000


def _path(native: _native.Fitted) -> str | None:
    path = os.fspath(native.path())
    return path if os.path.isdir(path) else None


#: How each part is asked for.
ASKED: dict[str, Callable[[_native.Fitted], Any]] = {
    "summary": lambda native: json.loads(native.summary()),
    "config": lambda native: json.loads(native.config()),
    "names": lambda native: native.names(),
    "shape": lambda native: native.shape(),
    "path": _path,
    "what_is_shown": lambda native: native.what_is_shown(),
    "mode": lambda native: native.mode(),
    "shown_chains": lambda native: native.shown_chains(),
    "embedding": lambda native: native.embedding(),
    "variables": lambda native: native.variables(),
    "is_stored_aligned": lambda native: native.is_stored_aligned(),
    "stored": lambda native: native.locations(False),
    "aligned": lambda native: native.locations(True),
    "monitored": lambda native: native.monitored(),
    "coupled": lambda native: native.coupled(MOST_PAIRS),
}

#: Parts that a fit without draws of the locations does not have.
LOCATIONS = ("stored", "aligned")


class Parts:
    """Parts of a fit by name, kept once asked for."""

    def __init__(self, native: _native.Fitted, source: Source | None = None) -> None:
        self._native: _native.Fitted | None = native
        self._source = source
        self._state: dict[str, Any] = {}
        self._kept: dict[str, Any] = {}

    def __getitem__(self, part: str) -> Any:
        if part not in self._kept:
            if part in LOCATIONS and not self.native.has_locations():
                raise ValueError("the fit kept no draws of the locations (keep='summary'). Remedy: fit with keep='all'")
            try:
                self._kept[part] = ASKED[part](self.native)
            except (ValueError, OSError) as error:
                raise translated(error) from None
        return self._kept[part]

    @property
    def native(self) -> _native.Fitted:
        """The fit itself; that of a copy is made when it is first needed."""
        if self._native is None:
            opened = None if self._source is None else self._source.opened()
            data, paths = (None, {}) if opened is None else (opened.data, opened.paths)
            try:
                self._native = _native.from_bytes(self._state["bytes"], self._state["mode"], data, paths)
            except (ValueError, OSError) as error:
                raise translated(error) from None
            # What was written is there as long as the fit may read it.
            self._opened = opened
        return self._native

    def in_mode(self, mode: int) -> Parts:
        """Those of another mode."""
        return Parts(self.native.in_mode(mode), self._source)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Where the objects are, by name."""
        return {name: position for position, name in enumerate(self["names"])}

    def variable(self, name: str) -> NDArray[Any]:
        """A stored variable or a monitored quantity, (chain, draw, ...)."""
        key = f"variable {name}"
        if key not in self._kept:
            self._kept[key] = self._found(name)
        return np.asarray(self._kept[key])

    def _found(self, name: str) -> Any:
        for group, variables in enumerate(self["variables"]):
            for stored, dtype, _ in variables:
                if stored == name:
                    values = self.native.values(name, group == 1)
                    return values.astype(dtype, copy=False)
        names, draws = self["monitored"]
        if name in names:
            return draws[names.index(name)]
        known = [stored for variables in self["variables"] for stored, *_ in variables]
        raise KeyError(f"there is no variable {name!r}. Remedy: give one of {', '.join(known)}, or of diagnostics()")

    def __copy__(self) -> Parts:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Parts:
        """Nothing of a fit changes: copies share it."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        if self._native is None:
            return self._state
        path, mode = self["path"], self["mode"][0]
        if path is not None:
            return {"path": path, "mode": mode}
        return {"bytes": self.native.to_bytes(), "mode": mode, "source": self._source}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "path" in state:
            self.__init__(_native.open(state["path"], state["mode"]))  # type: ignore[misc]
        else:
            self._native, self._source, self._state, self._kept = None, state["source"], state, {}
