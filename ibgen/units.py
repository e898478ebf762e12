"""InfiniBand rates, sizes, times and counts: the words people write, the numbers programs want, and the way back.

Takes text from a spec (a plain scalar, still text) or a number. Gives Gb/s, bytes, seconds, counts, OpenSM's enumerations,
and text for people. Nonsense and ambiguity are a `UnitError` with a hint; nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType

LANE_GBPS: Mapping[str, float] = MappingProxyType(
    {"SDR": 2.5, "DDR": 5, "QDR": 10, "FDR10": 10, "FDR": 14, "EDR": 25, "HDR": 50, "NDR": 100, "XDR": 200}
)
"""Gb/s of one lane, as ibstat and OpenSM count it (an FDR 4x port is 56, an NDR one 400).

Source: InfiniBand Architecture Specification volume 1, PortInfo.LinkSpeedActive and LinkSpeedExtActive; OpenSM's ib_types.h.
SDR, DDR and QDR are 8b/10b coded: four fifths of the named rate is data.
"""

SIGNAL_GBPS: Mapping[str, float] = MappingProxyType(
    {
        "SDR": 2.5,
        "DDR": 5,
        "QDR": 10,
        "FDR10": 10.3125,
        "FDR": 14.0625,
        "EDR": 25.78125,
        "HDR": 53.125,
        "NDR": 106.25,
        "XDR": 212.5,
    }
)
"""Signalling rate of one lane in Gb/s, the number that iblinkinfo prints after the width ("4X 106.25 Gbps").

Source: InfiniBand Architecture Specification volume 2, release 1.6 and later; infiniband-diags' ibdiag_common and libibmad.
"""

WIDTHS = (1, 2, 4, 8, 12)
"""Lanes of a link. Source: PortInfo.LinkWidthActive, codes 1=1x 2=4x 4=8x 8=12x 16=2x."""

# fmt: off
OPENSM_RATES: Mapping[float, int] = MappingProxyType({
    2.5: 2, 5: 5, 10: 3, 14: 11, 20: 6, 25: 15, 28: 19, 30: 4, 40: 7, 50: 20, 56: 12, 60: 8, 80: 9,
    100: 16, 112: 13, 120: 10, 168: 14, 200: 17, 300: 18, 400: 21, 600: 22, 800: 23, 1200: 24,
})
# fmt: on
"""Gb/s -> `rate=` of partitions.conf. Source: OpenSM's ib_types.h; 23 and 24 are refused by OpenSM 3.3.23 (measured)."""

OPENSM_MTUS: Mapping[int, int] = MappingProxyType({256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5})
"""Bytes -> `mtu=` of partitions.conf. Source: PortInfo.MTUCap, OpenSM's ib_types.h."""

_TOTAL_NAMES = {
    "HDR100": (100, 2),
    "HDR200": (200, 4),
    "NDR200": (200, 2),
    "NDR400": (400, 4),
    "XDR400": (400, 2),
    "XDR800": (800, 4),
}
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_RATE = re.compile(rf"({_NUMBER}) ?([A-Za-z/]*)")
_WIDTH = re.compile(r"(1|2|4|8|12) ?x[ -]*(.*)", re.IGNORECASE)
_SIZE = re.compile(rf"({_NUMBER}) ?([A-Za-z]*)")
_GBPS = {"": 1, "g": 1, "gb/s": 1, "gb/sec": 1, "gbps": 1, "gbit/s": 1, "t": 1000, "tb/s": 1000, "tbps": 1000, "tbit/s": 1000}
_BYTES = {"": 1, "B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15}
_BYTES |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}
_SECONDS = {"ns": "1e-9", "us": "1e-6", "µs": "1e-6", "ms": "1e-3", "s": "1", "sec": "1", "second": "1", "seconds": "1"}
_SECONDS |= {"m": "60", "min": "60", "minute": "60", "minutes": "60", "h": "3600", "hour": "3600", "hours": "3600"}
_SECONDS |= {"d": "86400", "day": "86400", "days": "86400"}
_LARGEST = 2**63 - 1  # counts and sizes end up in int64 columns


class UnitError(ValueError):
    """A quantity that cannot be read; `hint` says what to write."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def rate_gbps(value: str | float) -> int | float:
    """Gb/s of a port: `NDR` (a 4x link), `NDR200` and `HDR100` (2x), `400G`, `400 Gb/s`, `1.6T`, `400`.

    Raises `UnitError`, with the right spelling for `4xEDR` (4x is a width) and for GB/s (bytes).
    """
    text = str(value).strip()
    name = text.upper()
    if name in LANE_GBPS:
        return _tidy(LANE_GBPS[name] * 4)
    if name in _TOTAL_NAMES:
        return _TOTAL_NAMES[name][0]
    if width := _WIDTH.fullmatch(text):
        raise _width_error(text, int(width[1]), width[2])
    match = _RATE.fullmatch(text)
    if match and re.fullmatch(r"[KMGTP]i?B(?:/s|ps|/sec)?", match[2]):
        hint = f"rates are in bits: {match[1]} {match[2][0]}B/s is {Decimal(match[1]) * 8:f} {match[2][0]}b/s"
        raise UnitError(f"`{text}` is in bytes", hint)
    unit = _GBPS.get(match[2].lower()) if match else None
    if match is None or unit is None:
        raise UnitError(f"`{text}` is no rate", "write `400G`, `400 Gb/s` or a generation: " + ", ".join(LANE_GBPS))
    rate = Decimal(match[1]) * unit
    if not 0 < rate <= 1_000_000:  # a petabit a second through one port is a typing error
        raise UnitError(f"`{text}` is no rate of a port", "write the rate in Gb/s, such as `400G`")
    return _tidy(float(rate))


def rate_name(gbps: float, width: int = 4) -> str:
    """The generation: 400 -> `NDR`; links of two lanes carry their total, 200 over 2 lanes -> `NDR200`, 100 -> `HDR100`.

    Raises `UnitError` where no generation has that rate at that width, and for 2x before HDR (2x exists from HDR on).
    """
    for name, lane in LANE_GBPS.items():
        if lane * width == gbps and width in WIDTHS:
            if width != 2:
                return name
            if f"{name}{gbps:g}" in _TOTAL_NAMES:
                return f"{name}{gbps:g}"
    known = ", ".join(f"{lane * width:g}" for lane in dict.fromkeys(LANE_GBPS.values())) if width in WIDTHS else "none"
    raise UnitError(f"no InfiniBand generation has {gbps:g} Gb/s over {width} lanes", f"rates at {width}x: {known}")


def link_gbps(width: int, signal_gbps: float) -> int | float:
    """Gb/s of a link from width and signalling rate of a lane, as iblinkinfo prints them: 4 and 106.25 -> 400.

    `25.78` and `25.78125` are both EDR. Raises `UnitError` for a width or a lane rate that InfiniBand does not have.
    """
    if width in WIDTHS:
        for name, signal in SIGNAL_GBPS.items():
            if abs(signal - signal_gbps) < 0.01:
                return _tidy(LANE_GBPS[name] * width)
    lanes = ", ".join(f"{signal:g}" for signal in SIGNAL_GBPS.values())
    raise UnitError(f"no InfiniBand link has {width} lanes of {signal_gbps:g} Gb/s", f"lane rates: {lanes}")


def opensm_rate(gbps: float) -> int:
    """OpenSM's number for a rate: 400 -> 21. Raises `UnitError` where the enumeration has none."""
    if gbps not in OPENSM_RATES:
        known = ", ".join(f"{rate:g}" for rate in sorted(OPENSM_RATES))
        raise UnitError(f"OpenSM has no number for {gbps:g} Gb/s", f"it knows {known}")
    return OPENSM_RATES[gbps]


def opensm_mtu(mtu_bytes: int) -> int:
    """OpenSM's number for an MTU: 4096 -> 5. Raises `UnitError` for any other size (9000 is Ethernet's)."""
    if mtu_bytes not in OPENSM_MTUS:
        raise UnitError(f"InfiniBand has no MTU of {mtu_bytes}", "write 256, 512, 1024, 2048 or 4096")
    return OPENSM_MTUS[mtu_bytes]


def size_bytes(value: str | int) -> int:
    """Bytes: `512`, `8MB` (10^6), `4 GiB` (2^30). Raises `UnitError` for bits, bare `K M G`, parts of a byte."""
    text = str(value).strip()
    match = _SIZE.fullmatch(text.replace("_", ""))
    unit = match[2] if match else ""
    if match is None:
        raise UnitError(f"`{text}` is no size", "write a number and a unit: `4 GiB`, `8 MB`, `512`")
    if re.fullmatch(r"[KkMGTP]", unit):
        prefix = unit.upper()
        raise UnitError(
            f"`{text}` may be {prefix}B or {prefix}iB", f"write `{match[1]} {prefix}iB` (2^10 steps) or `{prefix}B` (10^3)"
        )
    if re.fullmatch(r"[KkMGTP]?i?(?:b|bit|bits)", unit):
        raise UnitError(f"`{text}` is in bits", "sizes are in bytes: write `B`, as in `4 GiB`")
    if unit not in _BYTES:
        raise UnitError(f"`{text}` has an unknown unit `{unit}`", "units: " + ", ".join(u for u in _BYTES if u))
    return _whole(Decimal(match[1]) * _BYTES[unit], text, "bytes")


def duration_s(value: str | float) -> int | float:
    """Seconds: `10s`, `4 min`, `250ms`, `2h`, `1d`, `0`. Raises `UnitError` without a unit (Slurm's are minutes)."""
    text = str(value).strip()
    match = re.fullmatch(rf"({_NUMBER}) ?([A-Za-zµ]*)", text)
    if match is None:
        raise UnitError(f"`{text}` is no duration", "write a number and a unit: `10s`, `4 min`, `2h`")
    number = Decimal(match[1])
    if not match[2] and number:
        raise UnitError(f"`{text}` has no unit", f"write `{text}s` or `{text} min`")
    if match[2] and match[2] not in _SECONDS:
        raise UnitError(f"`{text}` has an unknown unit `{match[2]}`", "units: ns, us, ms, s, min, h, d")
    return _tidy(float(number * Decimal(_SECONDS[match[2] or "s"])))


def count(value: str | int) -> int:
    """A whole number: `175e9`, `8_192`, `0x10`, `1.5e3`. Raises `UnitError` for parts, signs, `012` and `1,024`."""
    text = str(value).strip()
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", text):
        return _whole(Decimal(int(text, 16)), text, "units")
    if re.fullmatch(r"0[0-9_]+", text):
        raise UnitError(f"`{text}` may be octal or decimal", f"write `{text.lstrip('0_') or '0'}`")
    if match := re.fullmatch(rf"({_NUMBER}) ?([kKMBGT])", text):
        power = {"K": 3, "M": 6, "B": 9, "G": 9, "T": 12}[match[2].upper()]
        raise UnitError(f"`{text}` is no count", f"write `{match[1]}e{power}`")
    match = re.fullmatch(r"([0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?)(?:[eE]\+?([0-9]{1,3}))?", text)
    if match is None:
        raise UnitError(f"`{text}` is no count", "write a whole number: `8192`, `8_192` or `175e9`")
    return _whole(Decimal(match[1].replace("_", "")).scaleb(int(match[2] or 0)), text, "units")


def ordinal(n: int) -> str:
    """`1st`, `12th`, `2,622nd`."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n:,}{ending}"


def gbps_text(gbps: float) -> str:
    """A rate for people, at most four significant digits: 400 -> `400 Gb/s`, 16000 -> `16.0 Tb/s`."""
    digits, unit = _shown(gbps, 1000, ("Gb/s", "Tb/s", "Pb/s"))
    return f"{digits} {unit}" if unit == "Gb/s" or "." in digits else f"{digits}.0 {unit}"


def bytes_text(size: float) -> str:
    """A size for people in steps of 2^10, at most four significant digits: 1536 -> `1.5 KiB`."""
    return " ".join(_shown(size, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB")))


def _shown(value: float, step: int, units: tuple[str, ...]) -> tuple[str, str]:
    for unit in units:
        digits = f"{value:.4g}"
        if abs(float(digits)) < step:
            return digits, unit
        value /= step
    return f"{value * step:.0f}", units[-1]


def _width_error(text: str, width: int, rest: str) -> UnitError:
    message = f"`{text}`: {width}x is the width of a link in lanes, not a number of ports"
    generation = re.match(r"[A-Za-z]+(?:10)?", rest)
    signal = re.match(_NUMBER, rest)
    try:
        if generation:
            return UnitError(message, f"write `{rate_name(LANE_GBPS[generation[0].upper()] * width, width)}`")
        gbps = link_gbps(width, float(signal[0]) if signal else 0)
        return UnitError(message, f"{width} lanes of {rest} carry {gbps} Gb/s: write `{gbps}G`")
    except (UnitError, KeyError):
        return UnitError(message, "write the rate of the port: `NDR`, `HDR100` or `400G`")


def _whole(number: Decimal, text: str, what: str) -> int:
    if number > _LARGEST:
        raise UnitError(f"`{text}` is too large", "the largest number is 2^63 - 1")
    if number != int(number):
        raise UnitError(f"`{text}` is no whole number of {what}", "write a whole number")
    return int(number)


def _tidy(number: float) -> int | float:
    return int(number) if number == int(number) else number
