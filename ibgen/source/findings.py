"""What can be wrong with YAML text: the codes IBG001 to IBG019, each with its page."""

from __future__ import annotations

from ibgen.diagnostics import Severity, declare

UNREADABLE = declare(
    "IBG001",
    "unreadable-file",
    Severity.ERROR,
    """The file is missing, is a directory, may not be read, or is larger than 64 MiB.

    Nothing else can be checked before the file is there. The hint names a file beside it with a similar name.
    """,
)

NOT_TEXT = declare(
    "IBG002",
    "not-utf8-text",
    Severity.ERROR,
    """The file is not UTF-8 text.

    A spec is read as UTF-8 on every machine, whatever its locale. The finding names the first byte that is wrong; most often
    the file was saved as Latin-1 or UTF-16, or a full disk left NUL bytes in it. Save it as UTF-8; a byte order mark is
    accepted.
    """,
)

INVISIBLE = declare(
    "IBG003",
    "invisible-character",
    Severity.ERROR,
    """A character that a reviewer cannot see stands in the text.

    Control characters, zero-width characters and those that reverse the direction of writing make a spec read otherwise than
    it looks. A no-break space in the indentation or after a colon looks like a space and is none to YAML. Delete the
    character; where a value needs it, write it as an escape inside double quotes (`"\\u200b"`).

    Bad:
        cluster: pod\u200b-a

    Good:
        cluster: pod-a
    """,
)

TAB = declare(
    "IBG004",
    "tab-indentation",
    Severity.ERROR,
    """A line is indented with a tab.

    YAML allows only spaces there, because the width of a tab differs between editors. Replace the tabs
    (`expand -t 2 cluster.yaml`) and let the editor insert spaces. Tabs inside and behind values do no harm.
    """,
)

SYNTAX = declare(
    "IBG005",
    "yaml-syntax",
    Severity.ERROR,
    """The text is not YAML.

    The parser stops at the first such place; the finding says what it most likely is: indentation that fits no block above, no
    space after a colon, a quote or bracket that is never closed, a second colon in a plain value, a value that starts with
    `@`, `%` or a backtick. What was found above that place is listed with it.

    Inside `[]` and `{}` a value with a colon needs quotes: YAML 1.2 allows `{max_time: 2-00:00:00}`, the parser (libyaml) does
    not.

    Bad:
        cluster: pod: a

    Good:
        cluster: "pod: a"
    """,
)

DUPLICATE_KEY = declare(
    "IBG006",
    "duplicate-key",
    Severity.ERROR,
    """A mapping gives one key twice.

    Most YAML readers silently keep the last one, so that a value in plain sight is ignored. Both places are shown; keep one.
    To change a value of a base file, lay an overlay over it (`-f`).

    Bad:
        cluster: pod-a
        cluster: pod-b

    Good:
        cluster: pod-b
    """,
)

NOT_A_MAPPING = declare(
    "IBG007",
    "not-a-mapping",
    Severity.ERROR,
    """The top of the file is not a mapping of keys to values.

    A spec starts with keys at the left margin (`ibgen: 1`, `cluster: pod-a`, `pools:`), and so does an overlay. A list or a
    single value there usually means that the key above it is missing.

    Bad:
        - name: gpu
          hosts: dgx-[001-004]

    Good:
        cluster: pod-a
    """,
)

EMPTY = declare(
    "IBG008",
    "empty-document",
    Severity.ERROR,
    """The file holds nothing but blank lines and comments.

    For an overlay that is a warning, as it changes nothing; for the spec it is an error. `ibgen init` writes a spec to start
    from.

    Bad:
        # to be written

    Good:
        cluster: pod-a
    """,
)

SEVERAL_DOCUMENTS = declare(
    "IBG009",
    "several-documents",
    Severity.ERROR,
    """The file holds several YAML documents.

    A line `---` after the first document starts another one. One file is one spec; only the first document was read. Put the
    other into a file of its own, and lay it over with `-f` where it belongs to the same cluster.

    Bad:
        cluster: pod-a
        ---
        cluster: pod-b

    Good:
        ---
        cluster: pod-a
    """,
)

TOO_DEEP = declare(
    "IBG010",
    "nested-too-deeply",
    Severity.ERROR,
    """More than 64 lists and mappings stand inside each other.

    No part of a spec needs more than about ten; reading stops here, so that a hostile file costs neither time nor memory.

    Bad:
        cluster:
          [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
          [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
          ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
          ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]

    Good:
        cluster: a
    """,
)

BAD_ALIAS = declare(
    "IBG011",
    "bad-alias",
    Severity.ERROR,
    """An alias or a merge key cannot be followed.

    `*name` stands for the value marked `&name` above it, and `<<: *name` fills in the keys that a mapping lacks. An alias of
    an unknown name, one inside the value that it names, a merge of something that is no mapping, and aliases that would write
    out to more than 400,000 values are refused. A text that starts with `*` or `&` needs quotes.

    Bad:
        cluster: *name

    Good:
        cluster: "*name"
    """,
)

TAG = declare(
    "IBG012",
    "explicit-tag",
    Severity.ERROR,
    """A value carries an explicit YAML tag, such as `!!int` or `!secret`.

    The field a value stands in decides how it is read: `pkey: 0x8001` is a number and `version: 24.11` a text without help.
    Tags that build objects are a way to run code in other readers. Leave the tag out.

    Bad:
        cluster: !!str pod-a

    Good:
        cluster: "pod-a"
    """,
)

NOT_A_TEXT_KEY = declare(
    "IBG013",
    "not-a-text-key",
    Severity.ERROR,
    """A key is empty, a list or a mapping.

    Keys of a spec are plain words. `{a, b}` as a key is most often a template placeholder (`{{ name }}`) that was never
    filled in, or braces that need quotes.

    Bad:
        cluster: {{name: pod-a}: b}

    Good:
        cluster: "{{name}}"
    """,
)

AMBIGUOUS = declare(
    "IBG014",
    "ambiguous-number",
    Severity.ERROR,
    """A plain whole number starts with a zero.

    `012` is ten in YAML 1.1, twelve in YAML 1.2, and may be meant as the text `012`, such as a rack or host number. Leave the
    zero out for the number, quote it for the text. Other plain values mean what they look like: `0x8001`, `24.11`, `no`.

    Bad:
        cluster: 012

    Good:
        cluster: "012"
    """,
)

OVERLAY_CLASH = declare(
    "IBG015",
    "overlay-of-another-kind",
    Severity.ERROR,
    """An overlay puts a value of one kind (text, list, mapping) over one of another.

    Most often the overlay is indented wrongly, or the base changed its form since. The overlay's value is taken. Where that is
    meant, say so: `# ibgen: ignore[IBG015] reason` on that line of the overlay.

    Bad:
        cluster: {name: pod-b}

    Good:
        cluster: pod-b
    """,
)

OVERLAY_REMOVES_NOTHING = declare(
    "IBG016",
    "overlay-removes-nothing",
    Severity.WARNING,
    """An overlay removes a key that is not there.

    `key: null` in an overlay removes the key from what lies below. Where there is no such key, it is most often misspelt.

    Bad:
        bindins: null

    Good:
        cluster: pod-b
    """,
)

BAD_SUPPRESSION = declare(
    "IBG017",
    "bad-suppression",
    Severity.WARNING,
    """A comment means to silence a finding and does not.

    The form is `# ibgen: ignore[IBG201] reason`, or `ignore[IBG201,IBG305] reason`: codes in capitals, and a reason that the
    next reader understands; without a reason nothing is silenced. Behind a value the comment counts for its own line, alone
    on a line for the next line that holds something.

    Bad:
        cluster: pod-a  # ibgen: ignore[IBG201]

    Good:
        cluster: pod-a  # ibgen: ignore[IBG201] the lab has one cable too few
    """,
)

OVERLAY_ITEM_TWICE = declare(
    "IBG018",
    "overlay-item-twice",
    Severity.ERROR,
    """An overlay has two items of one name in one list.

    Both are merged into the item below, and where they disagree the last one wins without a word. Write one item.

    Bad:
        pools:
          - {name: gpu, schedulable: true}
          - {name: gpu, schedulable: false}

    Good:
        pools:
          - {name: gpu, schedulable: false}
    """,
)

OVERLAY_FILE_TWICE = declare(
    "IBG019",
    "overlay-file-twice",
    Severity.ERROR,
    """A file is given twice, as the spec and as an overlay or as two overlays.

    Laid over a third file, the second time it undoes what that one said; otherwise it changes nothing: another file was
    meant. The overlays are named on the command line, so this page has no example.
    """,
)
