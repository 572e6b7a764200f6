#!/usr/bin/env python3
"""Public headers and examples include each header of the standard library whose names they use, or a header
of Kiln that does. They are compiled after all of those (tests/package/examples), so no compiler says so.

    check-std-includes.py INCLUDE EXAMPLES     the folder above kiln/, and one of sources
"""
import pathlib
import re
import sys

# The header of each name; a name that is not here is to be added.
HEADERS = {
    "algorithm": "max min",
    "array": "array",
    "chrono": "chrono::hours chrono::microseconds chrono::milliseconds chrono::minutes chrono::nanoseconds chrono::seconds",
    "complex": "complex imag real",
    "concepts": "convertible_to same_as",
    "cstddef": "byte ptrdiff_t size_t",
    "cstdint": "int16_t int32_t int64_t int8_t uint16_t uint32_t uint64_t uint8_t",
    "cstdio": "fprintf fputs printf",
    "cstdlib": "atoi getenv",
    "cstring": "memcpy",
    "deque": "deque",
    "exception": "exception",
    "filesystem": "filesystem::path",
    "fstream": "ifstream ios ofstream",
    "functional": "function less",
    "initializer_list": "initializer_list",
    "iterator": "istreambuf_iterator size",
    "limits": "numeric_limits",
    "map": "map",
    "memory": "make_shared make_unique shared_ptr unique_ptr",
    "optional": "nullopt optional",
    "ranges": "ranges::contiguous_range ranges::data ranges::range ranges::range_value_t ranges::size ranges::sized_range",
    "set": "set",
    "span": "as_bytes as_writable_bytes span",
    "string": "string to_string",
    "string_view": "string_view",
    "type_traits": "is_arithmetic_v is_const_v is_floating_point_v is_integral_v is_pointer_v is_same_v is_signed_v"
                   " is_trivially_copyable_v is_void_v remove_const_t remove_reference_t type_identity_t",
    "utility": "forward move pair",
    "variant": "variant",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in HEADERS.items() for name in names.split()}
HEADER_OF["ranges::copy"] = "algorithm"
# What these bring, in every standard library.
SMALL = {"cstddef", "type_traits", "utility"}
LARGE = {"array", "filesystem", "functional", "map", "memory", "optional", "span", "string", "string_view", "variant",
         "vector"}
NAME = re.compile(r"\bstd::((?:ranges::|chrono::|filesystem::)?\w+)")
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def included(text, include, seen):
    """What a text includes, by itself and by headers of Kiln."""
    found = set()
    for header in INCLUDE.findall(text):
        found.add(header)
        path = include / header
        if header not in seen and path.is_file():
            seen.add(header)
            found |= included(path.read_text(encoding="utf-8"), include, seen)
    return found


def problems(path, include):
    text = COMMENT.sub("", path.read_text(encoding="utf-8"))
    there = included(text, include, set())
    for name in sorted(set(NAME.findall(text))):
        header = HEADER_OF.get(name)
        if header is None:
            yield f"{path}: found std::{name}, expected a name that {sys.argv[0]} knows"
        elif header not in there and not (header in SMALL and there & LARGE):
            yield f"{path}: found std::{name}, expected #include <{header}>"


def main():
    include, examples = map(pathlib.Path, sys.argv[1:])
    files = sorted(include.glob("kiln/**/*.hpp")) + sorted(examples.glob("*.cpp"))
    if not files:
        sys.exit(f"no headers in {include}")
    found = [problem for path in files for problem in problems(path, include)]
    print("\n".join(found) or f"{len(files)} files include what they name")
    sys.exit(1 if found else 0)


main()
