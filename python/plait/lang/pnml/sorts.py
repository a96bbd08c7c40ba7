"""The declarations of a symmetric net: sorts, constants, partitions, variables.

Sorts may be declared in any order, but not by themselves. Enumerations are different sorts when
they are declared twice; ranges with the same ends are one sort.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from plait.colour.net import COLOUR_LIMIT, DOT, Basic, Sort, show_sort
from plait.lang.pnml.structure import Element, elements, fold_elements
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.records import dataclass, field

COMPONENT_LIMIT = 100
"""The most components of a product."""
ENUMERATIONS = ("cyclicenumeration", "finiteenumeration")
SORTS = ("usersort", "productsort", "finiteintrange", "dot", "bool", *ENUMERATIONS)


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """A basic sort cut into ordered parts: the number of each colour's part."""

    name: str
    basic: Basic
    part: tuple[int, ...]


@dataclass(slots=True)
class Declarations:
    """What the terms of a net may name."""

    sorts: dict[str, Sort] = field(default_factory=dict)
    constants: dict[str, tuple[Basic, int]] = field(default_factory=dict)
    variables: dict[str, tuple[str, Sort]] = field(default_factory=dict)
    """The name and the sort of a variable, by its id."""
    partitions: dict[str, Partition] = field(default_factory=dict)
    parts: dict[str, tuple[Partition, int]] = field(default_factory=dict)
    _ranges: dict[tuple[int, int], Basic] = field(default_factory=dict)
    _bool: Basic = field(default_factory=lambda: Basic("bool", ("false", "true")))

    def declare(self, structures: Iterable[Element]) -> None:
        """Read the declarations of the net and of its pages."""
        found: dict[str, list[Element]] = {}
        for structure in structures:
            declarations = structure.only_child()
            if declarations.tag != "declarations":
                raise declarations.error(f"<declarations> is needed here, not <{declarations.tag}>")
            for element in declarations.children:
                found.setdefault(element.tag, []).append(element)
        for tag, several in found.items():
            if tag not in ("namedsort", "variabledecl", "partition"):
                raise several[0].error(
                    f"declarations by <{tag}> are not supported",
                    "sorts, variables and partitions can be declared",
                )
        self._declare_sorts(found.get("namedsort", []))
        for element in found.get("partition", []):
            self._declare_partition(element)
        for element in found.get("variabledecl", []):
            _unique(element, self.variables)
            name = element.attributes.get("name") or element.attribute("id")
            self.variables[element.attribute("id")] = name, self.sort(element.only_child())

    # --- sorts ------------------------------------------------------------------------------------

    def _declare_sorts(self, named: list[Element]) -> None:
        waiting: dict[str, Element] = {}
        for element in named:
            _unique(element, waiting)
            waiting[element.attribute("id")] = element
        path: list[tuple[str, Iterator[str]]] = []
        on_path: dict[str, None] = {}
        for start, declared in waiting.items():
            if start in self.sorts:
                continue
            path.append((start, _named(declared)))
            on_path[start] = None
            while path:
                at, needed = path[-1]
                missing = next((n for n in needed if n not in self.sorts and n in waiting), None)
                if missing is None:
                    element = waiting[at]
                    name = element.attributes.get("name") or at
                    self.sorts[at] = self.sort(element.only_child(), name)
                    del on_path[at]
                    path.pop()
                elif missing in on_path:
                    raise waiting[at].error(f"the sort '{missing}' is declared by itself")
                else:
                    path.append((missing, _named(waiting[missing])))
                    on_path[missing] = None

    def sort(self, root: Element, name: str = "") -> Sort:
        """The sort that an element denotes; `name` is that of its declaration."""
        return fold_elements(root, lambda e, below: self.sort_step(e, below, name))

    def sort_step(self, e: Element, below: list[Sort], name: str = "") -> Sort:
        """The sort of an element from those of its children."""
        if e.tag in ENUMERATIONS:
            return (self._enumeration(e, name or e.tag),)
        if e.tag == "feconstant":
            return ()
        if e.tag == "productsort":
            return self._product(e, below)
        if below:
            raise e.children[0].error(f"unexpected element <{e.children[0].tag}> in <{e.tag}>")
        match e.tag:
            case "dot":
                return (DOT,)
            case "bool":
                return (self._bool,)
            case "finiteintrange":
                return (self._range(e),)
            case "usersort":
                declared = e.attribute("declaration")
                if declared not in self.sorts:
                    raise e.error(f"no sort '{declared}' is declared")
                return self.sorts[declared]
        raise e.error(
            f"sorts of kind <{e.tag}> are not supported", "supported: " + ", ".join(SORTS)
        )

    def _enumeration(self, e: Element, name: str) -> Basic:
        if not e.children:
            raise e.error("an enumeration without constants")
        ids = []
        names = []
        for child in e.children:
            if child.tag != "feconstant" or child.children:
                raise child.error(f"<{e.tag}> holds empty <feconstant> elements only")
            ids.append(child.attribute("id"))
            names.append(child.attributes.get("name") or ids[-1])
        shown = names if len(set(names)) == len(names) else ids
        basic = Basic(name, tuple(shown))
        for number, child in enumerate(e.children):
            _unique(child, self.constants)
            self.constants[ids[number]] = basic, number
        return basic

    def _product(self, e: Element, below: list[Sort]) -> Sort:
        for child, sort in zip(e.children, below, strict=True):
            if child.tag in ENUMERATIONS or not sort:
                raise child.error("the components of a product must be declared on their own")
        sort = tuple(basic for component in below for basic in component)
        if not sort:
            raise e.error("a product without components")
        if len(sort) > COMPONENT_LIMIT:
            raise e.error(f"the product has more than {COMPONENT_LIMIT} components")
        return sort

    def _range(self, e: Element) -> Basic:
        start, end = integer(e, "start"), integer(e, "end")
        if end < start:
            raise e.error(f"the range {start}..{end} is empty")
        if end - start >= COLOUR_LIMIT:
            raise e.error(
                f"the range has {end - start + 1} colours; at most {COLOUR_LIMIT} are supported"
            )
        key = (start, end)
        if key not in self._ranges:
            self._ranges[key] = Basic(f"{start}..{end}", range(start, end + 1))
        return self._ranges[key]

    # --- partitions -------------------------------------------------------------------------------

    def _declare_partition(self, e: Element) -> None:
        _unique(e, self.partitions)
        name = e.attribute("id")
        if len(e.children) < 2:
            raise e.error("a partition needs a sort and its parts")
        sort = self.sort(e.children[0])
        if len(sort) != 1:
            raise e.children[0].error("only enumerations and ranges can be partitioned")
        part: dict[int, int] = {}
        members: list[Element] = e.children[1:]
        for number, member in enumerate(members):
            if member.tag != "partitionelement":
                raise member.error(f"<partitionelement> is needed here, not <{member.tag}>")
            for child in member.children:
                value = self._member(child, sort[0])
                if value in part:
                    raise child.error(f"'{sort[0].colour(value)}' is in two parts")
                part[value] = number
        if len(part) < sort[0].size:
            left = next(c for c in range(sort[0].size) if c not in part)
            raise e.error(f"'{sort[0].colour(left)}' is in none of the parts")
        partition = Partition(name, sort[0], tuple(part[c] for c in range(sort[0].size)))
        self.partitions[name] = partition
        for number, member in enumerate(members):
            _unique(member, self.parts)
            self.parts[member.attribute("id")] = partition, number

    def _member(self, e: Element, basic: Basic) -> int:
        if e.tag == "finiteintrangeconstant":
            sort, value = self.range_constant(e)
        elif e.tag == "useroperator":
            sort, value = self.constant(e)
        else:
            raise e.error(f"a constant is needed here, not <{e.tag}>")
        if sort is not basic:
            raise e.error(f"a constant of '{basic.name}' is needed here, not of '{sort.name}'")
        return value

    # --- constants --------------------------------------------------------------------------------

    def constant(self, e: Element) -> tuple[Basic, int]:
        """The constant that a `<useroperator>` names."""
        name = e.attribute("declaration")
        if name not in self.constants:
            if name == "dot":  # so TAPAAL calls the one value of its sort of dots
                return DOT, 0
            raise e.error(f"no constant '{name}' is declared")
        return self.constants[name]

    def range_constant(self, e: Element) -> tuple[Basic, int]:
        """A number of a range."""
        (basic,) = self._sort_of_range(e.only_child())
        value = integer(e, "value")
        colours = basic.colours
        if not isinstance(colours, range) or value not in colours:
            raise e.error(f"{value} is not in the range {basic.name}")
        return basic, colours.index(value)

    def _sort_of_range(self, e: Element) -> Sort:
        sort = self.sort(e)
        if len(sort) != 1 or not isinstance(sort[0].colours, range):
            raise e.error(f"a range is needed here, not '{show_sort(sort)}'")
        return sort

    def boolean(self, e: Element) -> bool:
        """The value of a `<booleanconstant>`."""
        value = e.attribute("value").strip().lower()
        if value not in ("true", "false"):
            raise e.error(f"true or false is needed here, not '{value[:40]}'")
        return value == "true"


def _named(element: Element) -> Iterator[str]:
    """The sorts that an element names."""
    used = (e.attributes.get("declaration") for e in elements(element) if e.tag == "usersort")
    return (name for name in used if name is not None)


def integer(e: Element, name: str) -> int:
    """A 32-bit integer in an attribute."""
    text = e.attribute(name).strip()
    digits = text.removeprefix("-").lstrip("0") or "0"
    if not (digits.isascii() and digits.isdigit()):
        raise e.error(f"an integer is needed for '{name}', not '{text[:40]}'")
    value = int(digits) if len(digits) <= 10 else INT_MAX + 1
    value = -value if text.startswith("-") else value
    if not INT_MIN < value <= INT_MAX:
        raise e.error(f"the {name} is greater than {INT_MAX}, the most that is supported")
    return value


def _unique(e: Element, known: Container[str]) -> None:
    name = e.attribute("id")
    if name in known:
        raise e.error(f"'{name}' is declared twice")
