"""The files that come in each week, and the import itself, which is plain code."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import datetime

FORMATS = ("%m/%d/%Y", "%d/%m/%Y", "%Y-%m-%d")
"""Ways to read a date that the importer knows; the first is what it tries by itself."""

FILES = {
    "acme-2026-03-02.csv": "date,amount\n02/03/2026,120.50\n14/02/2026,80.00\n28/02/2026,15.25\n",
    "acme-2026-03-09.csv": "date,amount\n09/03/2026,64.00\n05/03/2026,12.40\n",
    "acme-2026-03-16.csv": "date,amount\n16/03/2026,33.10\n11/03/2026,71.00\n",
    "acme-2026-03-23.csv": "date,amount\n07/03/2026,5.00\n04/03/2026,19.90\n",
}
"""Made-up files of one supplier, who writes the day first. The last has no day above 12, so that
reading it wrongly would go unnoticed.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What an import came to: rows read, rows whose date could not be read, months found."""

    file: str
    format: str
    rows: int
    failed: int
    months: tuple[str, ...]


def rows_of(file: str) -> list[dict[str, str]]:
    """The rows of a file."""
    return list(csv.DictReader(io.StringIO(FILES[file])))


def import_file(file: str, date_format: str) -> Report:
    """Import a file, reading its dates in one way."""
    months, failed = [], 0
    for row in rows_of(file):
        try:
            months.append(f"{datetime.strptime(row['date'], date_format):%Y-%m}")  # noqa: DTZ007
        except ValueError:
            failed += 1
    return Report(
        file=file,
        format=date_format,
        rows=len(months) + failed,
        failed=failed,
        months=tuple(sorted(set(months))),
    )


def format_that_fits(file: str) -> str | None:
    """The one way to read the dates by which no row fails, if there is exactly one."""
    fitting = [one for one in FORMATS if import_file(file, one).failed == 0]
    return fitting[0] if len(fitting) == 1 else None
