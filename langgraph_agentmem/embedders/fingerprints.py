"""What a database calls the model that made its vectors, so that vectors of two never meet.

A model that says its name goes by it. A function goes by the name that its author gave it. A
lambda, or a function made inside another, has none of its own: it goes by what it does, a hash of
its code and of what it closes over. That may call one model two names (under another Python, say),
which asks for a reindex; it does not call two models one, unless they differ only in an object
that says no name. `NamedEmbedder` settles both.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import inspect
import types
from collections.abc import Iterator

_SAYS_ITS_NAME = ("model", "model_name", "name", "deployment")
_PLAIN = (str, bytes, int, float, complex, bool, type(None))
_DEEPEST = 4


def name_of(model: object) -> str:
    """A fingerprint for a model or a function that was handed over."""
    kind = type(model).__name__
    if isinstance(model, types.MethodType):
        return f"{kind}:{model.__func__.__qualname__} of {name_of(model.__self__)}"
    said = (getattr(model, attribute, None) for attribute in _SAYS_ITS_NAME)
    name = next((one for one in said if isinstance(one, str) and one), None)
    name = name or getattr(model, "__qualname__", None)
    whole = f"{kind}:{name}" if isinstance(name, str) else kind
    return f"{whole}#{_hash(model)}" if _is_anonymous(model) else whole


def _is_anonymous(model: object) -> bool:
    if isinstance(model, types.FunctionType):
        return model.__name__ == "<lambda>" or model.__closure__ is not None
    return isinstance(model, functools.partial)


def name_of_folder(prefix: str, name: str) -> str:
    """The same model in another folder keeps its fingerprint: the folder's own name counts."""
    path = name.removeprefix(prefix).rstrip("/\\")
    return prefix + path.replace("\\", "/").rsplit("/", 1)[-1]


def _hash(function: object) -> str:
    found = hashlib.sha256()
    for part in _parts_of(function, _DEEPEST):
        found.update(part.encode(errors="surrogatepass"))
        found.update(b"\x00")
    return found.hexdigest()[:12]


def _parts_of(value: object, depth: int) -> Iterator[str]:
    """What tells one value from another. What can change while it runs is left out."""
    if isinstance(value, _PLAIN):
        yield f"{type(value).__name__}={value!r}"
    elif isinstance(value, tuple) and depth:
        for one in value:
            yield from _parts_of(one, depth - 1)
    elif isinstance(value, types.FunctionType) and depth:
        yield from _parts_of_function(value, depth - 1)
    elif isinstance(value, functools.partial) and depth:
        for one in (value.func, value.args, *sorted(value.keywords.items())):
            yield from _parts_of(one, depth - 1)
    elif isinstance(value, types.ModuleType):
        yield value.__name__
    else:
        yield type(value).__name__ if depth == 0 else name_of(value)


def _parts_of_function(function: types.FunctionType, depth: int) -> Iterator[str]:
    """Its code, its defaults, and the names outside that it reads, with what they stand for."""
    yield from _parts_of_code(function.__code__)
    yield from _parts_of(function.__defaults__, depth)
    outside = inspect.getclosurevars(function)
    written = {
        one.argval for one in dis.get_instructions(function) if one.opname.startswith("STORE_")
    }
    for name, value in sorted({**outside.nonlocals, **outside.globals}.items()):
        if name not in written:  # a count of its calls, say
            yield name
            yield from _parts_of(value, depth)


def _parts_of_code(code: types.CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield ",".join(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _parts_of_code(constant)
        else:
            yield (
                repr(constant)
                if isinstance(constant, (*_PLAIN, tuple))
                else type(constant).__name__
            )
