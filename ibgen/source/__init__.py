"""Reading: YAML text (a spec and its overlays) becomes plain data plus a side table of positions.

Takes a file or its text. Gives a `Document`: dict, list, str and None only (every scalar stays text until its field's type
reads it), the suppressions written in comments, and a `span` for every path, each in its own file after overlays are laid
over. Whatever the text, nothing here raises: what is wrong comes back as located findings, IBG001 to IBG019.
"""

from ibgen.source.document import Document, parse
from ibgen.source.files import MAX_BYTES, read
from ibgen.source.places import Data

__all__ = ["MAX_BYTES", "Data", "Document", "parse", "read"]
