"""Templates: composites over type parameters, made concrete where they are instantiated.

`composite Pair<T extends I> { T a; T b; }` with an instance `Pair<Philo> p;` gives one more type,
named `Pair<Philo>`, in which T is replaced. A model keeps the template (a composite with type
parameters, which nothing may run) beside its concrete types, so that it prints as it was written.
"""

from __future__ import annotations

from collections.abc import Mapping

from plait.errors import error
from plait.model.types import ComponentType, CompositeType, Instance, Model, TypeParameter
from plait.records import replace

TEMPLATE_LIMIT = 10_000
"""The most concrete types that the templates of a model may give."""


def is_template(type_: ComponentType) -> bool:
    """Whether a type has type parameters, so that only its instantiations are real."""
    return isinstance(type_, CompositeType) and bool(type_.type_parameters)


def concrete_name(template: str, arguments: tuple[str, ...]) -> str:
    """The name of an instantiated template."""
    return f"{template}<{', '.join(arguments)}>"


def resolve_templates(model: Model) -> Model:
    """The model with a concrete type for every instantiated template; others are left alone.

    The concrete types come after the written ones, in the order in which they are met.
    """
    templates = {
        t.name: t for t in model.types if isinstance(t, CompositeType) and t.type_parameters
    }
    if not templates:
        return model
    known = {t.name for t in model.types}
    written = [t if is_template(t) else _resolve(t, templates) for t in model.types]
    made: list[ComponentType] = []
    todo = [i for t in written if not is_template(t) for i in _uses(t, templates)]
    todo.reverse()
    while todo:
        use = todo.pop()
        if use.type in known:
            continue
        if len(made) >= TEMPLATE_LIMIT:
            raise error(f"templates give more than {TEMPLATE_LIMIT} types", use.span)
        template = templates[use.type[: use.type.index("<")]]
        concrete = _resolve(_instantiate(template, use), templates)
        known.add(use.type)
        made.append(concrete)
        todo.extend(reversed(_uses(concrete, templates)))
    return replace(model, types=(*written, *made))


def _uses(type_: ComponentType, templates: Mapping[str, CompositeType]) -> list[Instance]:
    """The instances of a type that need a concrete type."""
    if not isinstance(type_, CompositeType):
        return []
    return [i for i in type_.instances if i.type_arguments and "<" in i.type]


def _resolve(type_: ComponentType, templates: Mapping[str, CompositeType]) -> ComponentType:
    """The type with its instances of templates renamed to the concrete types."""
    if not isinstance(type_, CompositeType):
        return type_
    return replace(type_, instances=tuple(_renamed(i, templates) for i in type_.instances))


def _renamed(instance: Instance, templates: Mapping[str, CompositeType]) -> Instance:
    template = templates.get(instance.type)
    if template is None:
        return instance
    wanted, given = len(template.type_parameters), len(instance.type_arguments)
    if wanted != given:
        message = f"template '{template.name}' takes {wanted} type arguments, not {given}"
        raise error(message, instance.span)
    return replace(instance, type=concrete_name(instance.type, instance.type_arguments))


def _instantiate(template: CompositeType, use: Instance) -> CompositeType:
    """The template with its type parameters replaced by the arguments of a use."""
    names = (p.name for p in template.type_parameters)
    meaning = dict(zip(names, use.type_arguments, strict=True))

    def substitute(instance: Instance) -> Instance:
        arguments = tuple(meaning.get(a, a) for a in instance.type_arguments)
        type_ = meaning.get(instance.type, instance.type)
        return replace(instance, type=type_, type_arguments=arguments)

    instances = tuple(substitute(i) for i in template.instances)
    return replace(template, name=use.type, instances=instances, type_parameters=())


__all__ = ["TypeParameter", "concrete_name", "is_template", "resolve_templates"]
