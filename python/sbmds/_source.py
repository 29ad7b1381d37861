"""What a fit in memory was fitted to, kept for copies of it: data, weights and errors, which may have to be files for a while."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _inputs, _native


@dataclass(frozen=True)
class Source:
    """Data with weights and errors, as they were given."""

    given: _inputs.Input
    metric: str | None = None
    noise: str | None = None
    weights: Any = None
    errors: Any = None

    def opened(self) -> Opened:
        """The data as a copy of the fit takes them: in memory, or in files that it reads when they are asked for."""
        scratch = tempfile.TemporaryDirectory(prefix="sbmds-")
        beside, given = Path(scratch.name) / "run", self.given
        if given.needs_file(self.noise, self.weights, self.errors):
            given = given.as_file(beside.with_name("data"))
        paths = quality_files(self.weights, self.errors, given, beside)
        if given.kind == "path":
            given = given.with_names_file(beside.with_name("names.txt"))
            paths["path"] = str(given.path)
        if given.names_file is not None:
            paths["names"] = given.names_file
        data = given.native(self.metric)
        return Opened(data, {name: os.path.abspath(path) for name, path in paths.items()}, scratch)


@dataclass(frozen=True)
class Opened:
    """Data in memory, or paths; what was written for them lasts as long as this."""

    data: _native.Data | None
    paths: dict[str, str]
    scratch: tempfile.TemporaryDirectory[str]


def quality_files(weights: Any, errors: Any, given: _inputs.Input | None, beside: Path) -> dict[str, str]:
    """Weights and errors as files: numbers and tables are written beside the run."""
    files = {}
    for name, value in (("weights", weights), ("errors", errors)):
        if _inputs.is_path(value):
            files[name] = os.fspath(value)
        elif value is not None:
            table = _inputs.read(_inputs.without_diagonal(value))
            if table.names is None and given is not None and given.names is not None:
                table = _inputs.named(table, given.names)
            path = Path(f"{beside}-{name}.{'npy' if table.names is None and table.kind != 'pairs' else 'csv'}")
            path.parent.mkdir(parents=True, exist_ok=True)
            files[name] = str(table.as_file(path, names_apart=False).path)
    return files
