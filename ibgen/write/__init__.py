"""Artifacts and a directory -> changes and files. The only room that writes into a user's folder.

`plan` compares, `apply` writes, `check` only tells, `recover` finishes or undoes what a killed build left behind; `write` is
the three of them in order. A tree is wholly old or wholly new after the next command, whatever moment the last one died at:

    stage     new files and links to the old ones are laid into `.ibgen/` inside the tree and fsynced
    journal   `.ibgen/journal.json` is written and fsynced: from here on the build is rolled forward
    move      deletes, folders, renames; the manifest last
    clean     the journal goes first, then the rest of `.ibgen/`

`ibgen.manifest.json` says which files are ibgen's. A file that is not in it is never moved, changed or deleted.
"""

from ibgen.write.applying import apply, write
from ibgen.write.manifest import ManifestInfo
from ibgen.write.paths import MANIFEST, STAGING, Artifact
from ibgen.write.planning import Change, Kind, WritePlan, check, plan
from ibgen.write.recovery import recover

__all__ = [
    "MANIFEST",
    "STAGING",
    "Artifact",
    "Change",
    "Kind",
    "ManifestInfo",
    "WritePlan",
    "apply",
    "check",
    "plan",
    "recover",
    "write",
]
