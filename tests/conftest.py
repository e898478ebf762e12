"""What all tests share: golden texts, rewritten with `pytest --update-golden`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("ibgen", deadline=None)  # an example may take as long as a busy machine needs
settings.load_profile("ibgen")

GOLDEN = Path(__file__).resolve().parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write what is made now over the golden files, for review in git"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("screens/x.txt", text)`: the text equals the golden file of that name."""

    def compare(name: str, text: str) -> None:
        file = GOLDEN / name
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert file.is_file(), f"tests/golden/{name} is not there: review what `pytest --update-golden` writes"
        assert text == file.read_text(encoding="utf-8")

    return compare
