"""`python -m ibgen` is `ibgen`."""

from ibgen.cli import run

run()
