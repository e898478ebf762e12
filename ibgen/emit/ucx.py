"""`ucx/<class>.conf`, `NAME=value` lines for /etc/ucx/ucx.conf; and `ucx/<class>.sh`, exports for what that file cannot carry.

Takes the `UcxProfile`s. UCX reads ucx.conf as an INI file: a line that begins with a blank carries on the one before, `;`
behind a blank starts a comment, and nothing behind character 197 belongs to the line (inih, measured on UCX 1.13.1).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from ibgen.compilation import Complete
from ibgen.targets.ucx import UcxProfile, UcxSetting

from . import Artifact, emitter
from .text import header, jinja_environment, one_line


@emitter("ucx")
def ucx(c: Complete) -> Iterator[Artifact]:
    """The files of every class of hosts; only those that say something."""
    for profile in c.targets.ucx:
        if profile.conf:
            yield Artifact(f"ucx/{profile.name}.conf", conf(profile, c.spec.cluster).encode())
        if profile.exports:
            yield Artifact(f"ucx/{profile.name}.sh", exports(profile, c.spec.cluster).encode())


def conf(profile: UcxProfile, cluster: str) -> str:
    """The text of ucx.conf."""
    rows = [(_reason(s.reason), f"{s.name}={s.value}") for s in profile.conf]
    return jinja_environment("ucx").get_template("ucx.j2").render(header=_reason(header(cluster)), rows=rows)


def exports(profile: UcxProfile, cluster: str) -> str:
    """The text of a script that a login shell or a job sources."""
    rows = [(one_line(s.reason), f"export {_export(s)}") for s in profile.exports]
    return jinja_environment("ucx").get_template("ucx.j2").render(header=one_line(header(cluster)), rows=rows)


def _export(setting: UcxSetting) -> str:
    return f"{setting.name}={shlex.quote(setting.value)}"


def _reason(text: str) -> str:
    """A comment that stays one: longer than a line of ucx.conf its rest would be read as a setting."""
    return one_line(text)[:150]
