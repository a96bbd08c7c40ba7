"""Reading PNML: place/transition nets and symmetric nets, as a stream.

What is understood, besides the standard (ISO/IEC 15909-2):

- arcs with a kind, in the spellings that tools use: `<arc type="inhibitor">` (TAPAAL),
  `<type value="test"/>` (PIPE, Tina), `<type><text>reset</text></type>`, `<arctype><text>...`
  (ProM). A test arc (also called read) of weight w needs w tokens and takes none; an inhibitor arc
  of weight w needs fewer than w; a reset arc empties its place. An event takes its tokens, then
  resets, then puts its tokens. Parallel arcs of the ordinary kind add up; parallel tests and
  inhibitors must all hold.
- `<value>` for `<text>`, with the prefix `Default,` of PIPE; nodes outside pages; no namespace;
  a net without a type, which is taken for a place/transition net.
- What TAPAAL writes as attributes (`plait.lang.pnml.tapaal`).
- NUPN units (`plait.lang.pnml.nupn`).
- The labels of high-level nets in a net of such a type (`plait.lang.pnml.coloured`).

Everything with another meaning (colours in other nets, time, priorities, capacities, stopwatches)
is refused where it stands rather than ignored, and so is an element that is not known: what tools
add for themselves belongs into `<toolspecific>`.

A place becomes a variable named by its id and an event is named by its transition's id; the human
name, where it differs, is kept as the comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from plait.colour.forms import Form
from plait.errors import Source, Span, error
from plait.lang.pnml import tapaal
from plait.lang.pnml.assemble import Arc, ArcKind, Assembler, Node, Position, Reference
from plait.lang.pnml.nupn import UnitsReader
from plait.lang.pnml.structure import Element, StructureReader
from plait.lang.xml import (
    SKIP,
    SPACE,
    Attributes,
    Opener,
    Scope,
    XmlReader,
    read_file,
    source_of_bytes,
)
from plait.model.arithmetic import INT_MAX
from plait.model.types import Model

if TYPE_CHECKING:
    from plait.colour.net import ColouredNet
    from plait.lang.pnml.coloured import ColouredAssembler

ARC_KINDS: Mapping[str, ArcKind] = {
    "normal": "normal",
    "ordinary": "normal",
    "inhibitor": "inhibitor",
    "test": "test",
    "read": "test",
    "reset": "reset",
}
NET_TYPES = re.compile(r"(.*[/#])?(ptnet[a-z]?|p/t net|pnmlcoremodel|tina/tpn)", re.IGNORECASE)
"""Place/transition nets; Tina calls all its nets `tpn`, of which those without delays are ours."""
HIGH_LEVEL_TYPES = re.compile(
    r".*(symmetricnet|highlevelnet|hlpng|pt-hlpng|hlpnpt|hlnet|coloured|colored).*", re.IGNORECASE
)
TIMED_TYPES = re.compile(r".*(time|tpn|tapn|stopwatch).*", re.IGNORECASE)
HIGH_LEVEL = ("hlinitialMarking", "hlinscription", "declaration", "condition", "structure")
TIMED = ("delay", "interval", "timeInterval", "invariant", "transportArc")
IGNORED = ("graphics", "toolspecific", "documentation")


def load(path: Path, form: Form = "auto") -> Model:
    """The net in a file; `InputError` says where and why it cannot be had.

    `form` says what becomes of a coloured net.
    """
    model = _model(load_net(path), form)
    if path.suffix != ".tapn":
        return model
    from plait.lang.pnml.queries import load_with_queries

    return load_with_queries(path, model)


def parse(data: bytes, name: str, form: Form = "auto") -> Model:
    """The net in a document held in memory; `name` stands in messages for the file's."""
    model = _model(parse_net(data, name), form)
    if not name.endswith(".tapn"):
        return model
    from plait.lang.pnml.queries import with_queries

    return with_queries(data, name, model)


def load_net(path: Path) -> Model | ColouredNet:
    """The net in a file as it is there: a coloured one with its colours."""
    nets: list[Model | ColouredNet] = []
    read_file(path, lambda source, chunks: nets.append(_read(source, chunks, path.stem)))
    return nets[0]


def parse_net(data: bytes, name: str) -> Model | ColouredNet:
    """The net in a document held in memory, a coloured one with its colours."""
    return _read(source_of_bytes(data, name), [data], Path(name).stem)


def _model(net: Model | ColouredNet, form: Form) -> Model:
    if isinstance(net, Model):
        return net
    from plait.colour.choice import as_model

    return as_model(net, form)


def _read(source: Source, chunks: Iterable[bytes], default_name: str) -> Model | ColouredNet:
    reader = PnmlReader(source)
    reader.read(chunks)
    return reader.net(default_name)


class PnmlReader(XmlReader):
    """The state of reading one document; see `load` and `parse`."""

    def __init__(self, source: Source) -> None:
        super().__init__(source, Scope({"pnml": lambda tag, attributes: self._document}))
        self._net: tuple[str, Span] | None = None
        self._assembler = Assembler(source)
        self._coloured: ColouredAssembler | None = None
        self._structures = StructureReader(self)
        self._units = UnitsReader(self)
        self._ids: dict[str, int] = {}
        # The node, reference or arc that is open: its id, its attributes, its place in the file,
        # and the texts of its labels with theirs.
        self._id = ""
        self._attributes: Attributes = {}
        self._position: Position = (1, 1)
        self._labels: dict[str, tuple[str, Position]] = {}
        self._label = ""
        self._kind_said: str | None = None
        self._tapaal = False
        # Of TAPAAL: nodes that several nets have, and the net that is read where there are several.
        self._shared: dict[str, str] = {}
        self._component: str | None = None
        # The label of a high-level net that is open.
        self._structured = ""
        self._uniform: dict[str, str] = {}
        self._define_scopes()

    def net(self, default_name: str) -> Model | ColouredNet:
        """The net, once the document is read."""
        if self._net is None:
            raise self.error("the file holds no net")
        name, span = self._net
        if self._coloured is not None:
            return self._coloured.net(name or default_name, span)
        units = self._units.units(self._assembler.places)
        return self._assembler.model(name or default_name, span, units)

    # --- what may stand where ---------------------------------------------------------------------

    def _define_scopes(self) -> None:
        ignored = _all(IGNORED, lambda tag, attributes: SKIP)
        refused = {**_all(HIGH_LEVEL, self._open_high_level), **_all(TIMED, self._refuse_time)}
        text = Scope(text=True, finish=self._close_text)
        texts: dict[str, Opener] = _all(("text", "value"), lambda tag, attributes: text)
        self._label_scope = Scope({**texts, **ignored}, self._close_label)
        self._name_scope = Scope(texts, other=lambda tag, attributes: SKIP)
        common = {**ignored, **refused, "name": self._open_name}
        self._place = Scope(
            {
                **common,
                "type": self._open_high_level,
                **_all(("initialMarking", "capacity"), self._open_label),
            },
            self._close_place,
        )
        self._transition = Scope(
            {
                **common,
                **_all(("orientation", "rate", "infiniteServer"), lambda tag, attributes: SKIP),
                **_all(("priority", "timed"), self._open_label),
            },
            self._close_transition,
        )
        self._arc = Scope(
            {
                **common,
                **_all(("arcpath", "tagged"), lambda tag, attributes: SKIP),
                **_all(("inscription", "type", "arctype"), self._open_label),
            },
            self._close_arc,
        )
        self._reference = Scope(common)
        self._page = Scope(
            {
                **common,
                **_all(("token", "labels", "finalmarkings"), lambda tag, attributes: SKIP),
                "toolspecific": self._open_tool,
                "declaration": self._open_declaration,
                "page": lambda tag, attributes: self._page,
                "place": self._open_place,
                "transition": self._open_transition,
                **_all(("arc", *tapaal.ARCS), self._open_arc),
                "referencePlace": self._open_reference,
                "referenceTransition": self._open_reference,
            }
        )
        self._define_coloured_scopes(ignored, common)
        self._document = Scope(
            {
                **ignored,
                **_all(tapaal.OUTSIDE, lambda tag, attributes: SKIP),
                "declaration": self._open_declaration,
                "name": self._open_name,
                "net": self._open_net,
                **_all(tapaal.SHARED, self._open_shared),
            }
        )

    def _define_coloured_scopes(
        self, ignored: dict[str, Opener], common: dict[str, Opener]
    ) -> None:
        label = Scope(
            {
                "structure": self._structures.open,
                "text": lambda tag, attributes: SKIP,
                **ignored,
            },
            self._close_structure,
        )

        def structured(tag: str, attributes: Attributes) -> Scope:
            if self._structured:
                raise self.error(f"<{tag}> inside <{self._structured}>")
            self._structured, self._structures.root = tag, None
            return label

        def page(tag: str, attributes: Attributes) -> Scope:
            return self._coloured_page

        place = Scope(
            {**common, **_all(("type", "hlinitialMarking"), structured)}, self._close_coloured_place
        )
        transition = Scope(
            {**common, "condition": structured, "placeHolder": lambda tag, attributes: SKIP},
            self._close_transition,
        )
        arc = Scope(
            {
                **common,
                **_all(("arcpath", "tagged"), lambda tag, attributes: SKIP),
                "hlinscription": structured,
                **_all(("inscription", "type", "arctype"), self._open_label),
            },
            self._close_arc,
        )
        self._coloured_nodes = {"place": place, "transition": transition, "arc": arc}
        self._coloured_page = Scope(
            {**self._page.children, "page": page, "declaration": structured}
        )

    # --- the net ----------------------------------------------------------------------------------

    def _open_net(self, tag: str, attributes: Attributes) -> Scope:
        if attributes.get("active") == "false":
            return SKIP  # TAPAAL leaves it out of the whole
        kind = attributes.get("type", "ptnet").strip()
        name = attributes.get("id", "").strip()
        if self._net is None:
            self._net = name, self.span()
        elif self._tapaal:
            self._begin_component(name)
        else:
            raise self.error("a second net: a file must hold exactly one")
        if not NET_TYPES.fullmatch(kind):
            if HIGH_LEVEL_TYPES.fullmatch(kind):
                self._become_coloured()
                return self._coloured_page
            if TIMED_TYPES.fullmatch(kind):
                what = f"nets with time are not supported: the type of this net is '{kind}'"
            else:
                what = f"unknown type of net '{kind}'"
            raise self.error(what, hint="place/transition nets and symmetric nets can be read")
        return self._page if self._coloured is None else self._coloured_page

    def _begin_component(self, name: str) -> None:
        """Another net of TAPAAL: nodes that are not shared are called by their nets from now on."""
        if self._component is None and self._net is not None:
            self._component = self._net[0]
            self._assembler.rename(self._full)
        self._component = name
        self._ids = {}

    def _full(self, node: str) -> str:
        """The name of a node in the whole."""
        if self._component is None or not node or node in self._shared:
            return node
        return f"{self._component}.{node}"

    def _open_shared(self, tag: str, attributes: Attributes) -> Scope:
        """What TAPAAL says of a place or transition that several nets have."""
        if "name" not in attributes:
            raise self.error(f"this <{tag}> has no name")
        self._tapaal = True
        self._ensure_untimed(tag, attributes)
        self._shared[attributes["name"]] = attributes.get("initialMarking", "0")
        return SKIP

    def _become_coloured(self) -> None:
        from plait.lang.pnml.coloured import ColouredAssembler

        self._assembler = self._coloured = ColouredAssembler(self.source)

    def _open_declaration(self, tag: str, attributes: Attributes) -> Scope:
        """A declaration in a net whose type has none: TAPAAL gives its coloured nets that type."""
        if self._coloured is None:
            if self._ids:
                self._refuse_high_level(tag)
            self._become_coloured()
        return self._coloured_page.children[tag](tag, attributes)

    def _open_tool(self, tag: str, attributes: Attributes) -> Scope:
        return self._units.open(attributes) if attributes.get("tool") == "nupn" else SKIP

    def _open_high_level(self, tag: str, attributes: Attributes) -> Scope:
        """A label of a net with colours, where TAPAAL declares them behind the net perhaps."""
        first = self._tapaal and len(self._ids) == 1 and self._scopes[-1] is self._place
        if self._coloured is not None or not first:
            self._refuse_high_level(tag)
        self._become_coloured()
        place = self._scopes[-1] = self._coloured_nodes["place"]
        return place.children[tag](tag, attributes)

    def _refuse_high_level(self, tag: str) -> NoReturn:
        if self._coloured is not None:
            raise self.error(f"<{tag}> cannot stand here")
        raise self.error(
            f"<{tag}> belongs to high-level nets, and this is none by its type",
            hint="the type of a net with colours is symmetricnet",
        )

    def _refuse_time(self, tag: str, attributes: Attributes) -> NoReturn:
        raise self.error(f"<{tag}> belongs to nets with time, which are not supported")

    # --- labels: <initialMarking><text>1</text></initialMarking> and the like ---------------------

    def _open_name(self, tag: str, attributes: Attributes) -> Scope:
        self._label = tag
        return self._name_scope

    def _open_label(self, tag: str, attributes: Attributes) -> Scope:
        if tag in self._labels:
            raise self.error(f"a second <{tag}>")
        self._label = tag
        if "value" in attributes:
            self._labels[tag] = attributes["value"], self.position()
        return self._label_scope

    def _close_text(self, text: str) -> None:
        if self._label in self._labels and self._label != "name":
            raise self.error(f"a second text in <{self._label}>")
        self._labels[self._label] = text, self.text_position()

    def _close_label(self, text: str) -> None:
        if self._label not in self._labels:
            raise self.error(f"<{self._label}> has no <text>")

    def _close_structure(self, text: str) -> None:
        """Keep the structure of a high-level label with what it belongs to."""
        tag, self._structured = self._structured, ""
        root = self._structures.root
        coloured = self._coloured
        assert coloured is not None
        if root is None:
            raise self.error(f"<{tag}> has no <structure>")
        if tag == "declaration":
            coloured.declarations.append(root)
            return
        kept: dict[str, dict[str, Element]] = {
            "type": coloured.types,
            "hlinitialMarking": coloured.markings,
            "condition": coloured.conditions,
        }
        if tag == "hlinscription":
            if coloured.inscriptions.setdefault(self._position, root) is not root:
                raise self.error(f"a second <{tag}>")
        elif kept[tag].setdefault(self._id, root) is not root and self._id not in self._shared:
            raise self.error(f"a second <{tag}>")

    def _natural(self, label: str, default: int, least: int) -> int:
        """The number in a label of the open element."""
        if label not in self._labels:
            return default
        text, position = self._labels[label]
        digits = text.strip(SPACE)
        if digits == "1":
            return 1
        digits = digits.removeprefix("Default,")
        span = Span(self.source, *position, max(1, len(digits)))
        if not (digits.isascii() and digits.isdigit()):
            shown = digits if len(digits) <= 40 else digits[:40] + "..."
            raise error(f"a natural number is needed here, not '{shown}'", span)
        digits = digits.lstrip("0") or "0"
        # The length first: Python refuses to convert very long numbers.
        if len(digits) > 10 or int(digits) > INT_MAX:
            raise error(f"the number is greater than {INT_MAX}, the most that is supported", span)
        if int(digits) < least:
            raise error(f"the number must be at least {least}", span)
        return int(digits)

    # --- nodes and arcs ---------------------------------------------------------------------------

    def _open(self, tag: str, attributes: Attributes) -> None:
        position = self.position()
        name = attributes.get("id", "")
        if tag == "place" and not tapaal.BEGINS.isdisjoint(attributes) and not self._tapaal:
            if self._assembler.arcs:
                raise self.error("places whose tokens are attributes stand before the arcs")
            self._tapaal = True
        if self._tapaal:
            self._ensure_untimed(tag, attributes)
            if tag == "arc":
                name = ""  # which is not always one of its own
        if name in self._ids:
            raise self.error(f"the id '{name}' is used twice; first in line {self._ids[name]}")
        if name:
            self._ids[name] = position[0]
        elif tag not in ("arc", *tapaal.ARCS):
            raise self.error(f"this <{tag}> has no id")
        self._id, self._attributes, self._position = self._full(name), attributes, position
        self._labels = {}

    def _ensure_untimed(self, tag: str, attributes: Attributes) -> None:
        timed = tapaal.with_time(attributes)
        if timed is not None:
            article = "an" if tag[0] in "aio" else "a"
            what = f'{article} {tag} with {timed}="{attributes[timed][:40]}"'
            raise self.error(f"{what} belongs to a net with time")

    def _node(self, tokens: int = 0) -> Node:
        name = self._labels["name"][0].strip(SPACE) if "name" in self._labels else ""
        return Node(self._id, tokens, name if name != self._id and name else None, self._position)

    def _open_place(self, tag: str, attributes: Attributes) -> Scope:
        self._open(tag, attributes)
        tokens = self._shared.get(self._id, attributes.get("initialMarking"))
        if tokens is not None and self._coloured is None:
            self._labels["initialMarking"] = tokens, self._position
        return self._scope("place", self._place)

    def _close_place(self, text: str) -> None:
        if self._natural("capacity", 0, 0):
            raise error(
                "places with a capacity are not supported",
                Span(self.source, *self._labels["capacity"][1]),
            )
        self._assembler.places[self._id] = self._node(self._natural("initialMarking", 0, 0))

    def _close_coloured_place(self, text: str) -> None:
        self._assembler.places[self._id] = self._node()

    def _open_transition(self, tag: str, attributes: Attributes) -> Scope:
        self._open(tag, attributes)
        return self._scope("transition", self._transition)

    def _close_transition(self, text: str) -> None:
        for label in ("priority", "timed"):
            if label in self._labels:
                value, position = self._labels[label]
                if self._uniform.setdefault(label, value.strip(SPACE)) != value.strip(SPACE):
                    raise error(
                        f"transitions that differ in <{label}> are not supported",
                        Span(self.source, *position),
                    )
        self._assembler.transitions[self._id] = self._node()

    def _open_arc(self, tag: str, attributes: Attributes) -> Scope:
        self._open(tag, attributes)
        for end in ("source", "target"):
            if end not in attributes:
                raise self.error(f"this arc has no {end}")
        self._kind_said = attributes.get("type")
        if self._tapaal:
            weight = tapaal.weight(attributes)
            if weight is not None:
                self._labels["inscription"] = weight, self._position
            self._kind_said = tapaal.kind(tag, attributes)
        elif tag != "arc":
            self._refuse_time(tag, attributes)
        return self._scope("arc", self._arc)

    def _scope(self, tag: str, plain: Scope) -> Scope:
        return plain if self._coloured is None else self._coloured_nodes[tag]

    def _close_arc(self, text: str) -> None:
        attributes = self._attributes
        kind: ArcKind = "normal"
        if self._kind_said is not None:
            kind = self._kind(self._kind_said, self._position)
        for label in ("type", "arctype"):
            if label in self._labels:
                said = self._kind(*self._labels[label])
                if self._kind_said is not None and said != kind:
                    raise error(
                        f"the arc is '{kind}' by its attribute and '{said}' by its <{label}>",
                        Span(self.source, *self._labels[label][1]),
                    )
                kind = said
        weight = self._natural("inscription", 1, 1)
        coloured = self._coloured  # where TAPAAL writes both inscriptions
        if weight > 1 and coloured is not None and self._position not in coloured.inscriptions:
            raise error("an arc of a net with colours has an <hlinscription>", self.span())
        source, target = self._full(attributes["source"]), self._full(attributes["target"])
        arc = Arc(source, target, weight, kind, *self._position)
        self._assembler.arcs.append(arc)

    def _kind(self, text: str, position: Position) -> ArcKind:
        kind = ARC_KINDS.get(text.strip(SPACE).lower())
        if kind is None:
            raise error(
                f"arcs of kind '{text.strip(SPACE)}' are not supported",
                Span(self.source, *position),
                "normal, inhibitor, test (read) and reset arcs are",
            )
        return kind

    def _open_reference(self, tag: str, attributes: Attributes) -> Scope:
        self._open(tag, attributes)
        if "ref" not in attributes:
            raise self.error(f"this <{tag}> has no ref")
        self._assembler.references[self._id] = Reference(
            attributes["ref"], tag == "referencePlace", self._position
        )
        return self._reference


def _all(names: Iterable[str], opener: Opener) -> dict[str, Opener]:
    return dict.fromkeys(names, opener)
