"""Tables: pandas' if it is there, else plain columns."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ._errors import found


class Table(dict[str, Any]):
    """Columns by name, for where pandas is not installed."""

    def __repr__(self) -> str:
        cells = [[name, *(_cell(value) for value in column)] for name, column in self.items()]
        widths = [max(len(cell) for cell in column) for column in cells]
        rows = zip(*cells)
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows)

    def _repr_html_(self) -> str:
        def row(cells: Any, tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

        body = "".join(row(map(_cell, cells), "td") for cells in zip(*self.values()))
        return f"<table>{row(self, 'th')}{body}</table>"

    def __len__(self) -> int:
        return max((len(column) for column in self.values()), default=0)


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


def table(columns: dict[str, Any], index: str | None = None) -> Any:
    """A DataFrame with one of its columns as the index, or a :class:`Table`."""
    pandas = found("pandas")
    if pandas is None:
        return Table(columns)
    frame = pandas.DataFrame(columns)
    return frame if index is None else frame.set_index(index)
