"""A text of one form: what a pattern says to a program, and the words that say the same to a reader.

Metadata of a field: `Annotated[str, Form(r"[0-9]+", "digits")]`. Refuses a text with "expected digits"; the pattern itself goes
into the JSON Schema only, for nobody should have to read one to correct a spec.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema


@dataclass(frozen=True, slots=True)
class Form:
    """`pattern` must match the whole text; `words` end the sentence that begins with "expected"."""

    pattern: str
    words: str

    def read(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text):
            raise ValueError(f"expected {self.words}")
        return text

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.read, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "pattern": f"^{self.pattern}$"}
