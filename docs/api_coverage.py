#!/usr/bin/env python3
"""Which public entities of common's headers have no documentation comment.

    docs/api_coverage.py            # a line for each that has none, then the share
    docs/api_coverage.py --headers  # which headers count, and why the others do not

A header is public unless its \\file comment says whom it is for: "Private to ..." or
"Internal to ..." one part, or "Test code". In a public header everything counts that a
user can name: files, classes, their public members, functions, constants, enumerators,
aliases, macros, concepts. Four things say all there is to say without a comment: what is
`= default` or `= delete`, a destructor, an override (it keeps what the function that it
overrides says), and the namespace `pipeline`, which every header opens. Names that one
declaration declares (`double begin, end;`) share its comment.

Doxygen reads the headers; what it found is taken from its XML. Exit codes: 0 everything
is documented, 1 something is not, 2 bad usage, 3 Doxygen is not here.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent

SETTINGS = """
INPUT = {headers}
OUTPUT_DIRECTORY = {folder}
EXTRACT_ALL = YES
EXCLUDE_SYMBOLS = *anonymous*
JAVADOC_AUTOBRIEF = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
HAVE_DOT = NO
CLASS_GRAPH = NO
WARNINGS = NO
QUIET = YES
STRIP_FROM_PATH = {root}
"""

NOT_PUBLIC = re.compile(r"\b(Private to|Internal to|Test code)\b")


def file_comment(path):
    """The text of the header's \\file comment, without its slashes."""
    text = path.read_text(encoding="utf-8")
    found = re.search(r"^/// \\file\n((?:///.*\n)*)", text, re.MULTILINE)
    return re.sub(r"\s*\n?///\s*", " ", found.group(1)).strip() if found else ""


def headers_of(root):
    """All headers of common: a list of (path, is it public)."""
    paths = sorted((root / "common").rglob("*.hpp"))
    return [(path, not NOT_PUBLIC.search(file_comment(path))) for path in paths]


def read_by_doxygen(headers, folder, root):
    """Has Doxygen read the headers; returns the files of its XML."""
    quoted = " ".join(f'"{path}"' for path in headers)
    settings = SETTINGS.format(headers=quoted, folder=folder, root=root)
    subprocess.run(
        ["doxygen", "-"], input=settings, text=True, check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    return sorted((folder / "xml").glob("*.xml"))


def is_documented(entity):
    parts = ("briefdescription", "detaileddescription", "inbodydescription")
    return any("".join(found.itertext()).strip()
               for part in parts for found in entity.findall(part))


def speaks_for_itself(member):
    name = member.findtext("name") or ""
    arguments = (member.findtext("argsstring") or "").replace(" ", "")
    return (arguments.endswith(("=default", "=delete")) or name.startswith("~")
            or member.find("reimplements") is not None)


def entities_of(compound):
    """(id, element, kind, name, location) of a compound and of all that is in it."""
    kind = compound.get("kind")
    if kind not in ("file", "struct", "class", "union", "namespace", "concept"):
        return
    name = compound.findtext("compoundname")
    if compound.get("prot", "public") != "public":
        return  # nobody outside can name its members either
    if kind != "namespace":
        yield compound.get("id"), compound, kind, name, compound.find("location")
    for member in compound.iter("memberdef"):
        if member.get("prot") != "public" or speaks_for_itself(member):
            continue
        location = member.find("location")
        kind, name = member.get("kind"), member.findtext("name")
        scope = member.findtext("qualifiedname") or name
        yield member.get("id"), member, kind, scope, location
        for value in member.findall("enumvalue"):
            full = f"{scope}::{value.findtext('name')}"
            yield value.get("id"), value, "enumerator", full, location


def coverage(files):
    """(number of entities, those without documentation as (file, line, kind, name))."""
    seen, missing, documented = set(), set(), set()
    for path in files:
        for compound in xml.parse(path).getroot().findall("compounddef"):
            for key, entity, kind, name, location in entities_of(compound):
                if key in seen or location is None:
                    continue
                seen.add(key)
                place = (location.get("file"), int(location.get("line") or 1))
                if is_documented(entity):
                    documented.add((*place, kind))
                else:
                    missing.add((*place, kind, name))
    missing = {m for m in missing if m[2] != "variable" or m[:3] not in documented}
    return len(seen), sorted(missing)


def measure(root):
    """(number of entities, those without documentation) of the headers below root."""
    public = [path for path, counts in headers_of(root) if counts]
    with tempfile.TemporaryDirectory() as folder:
        return coverage(read_by_doxygen(public, pathlib.Path(folder), root))


def main():
    arguments = argparse.ArgumentParser(
        description="Lists the public entities of common's headers that have no "
        "documentation comment.")
    arguments.add_argument("--headers", action="store_true",
                           help="list the headers, public or not, and stop")
    arguments.add_argument("--root", type=pathlib.Path, default=ROOT,
                           help="measure the headers of another checkout")
    given = arguments.parse_args()
    root = given.root.resolve()
    headers = headers_of(root)
    if given.headers:
        for path, public in headers:
            print("public" if public else "      ", path.relative_to(root))
        return 0
    if shutil.which("doxygen") is None:
        print("Doxygen is not here.\nInstall the package doxygen.", file=sys.stderr)
        return 3
    total, missing = measure(root)
    for file, line, kind, name in missing:
        print(f"{file}:{line}: {kind} {name} has no documentation comment")
    documented = total - len(missing)
    print(f"{documented} of {total} public entities are documented "
          f"({100 * documented / max(total, 1):.1f} %), in "
          f"{sum(public for _, public in headers)} of {len(headers)} headers")
    return 1 if missing or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
