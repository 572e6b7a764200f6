"""What Doxygen found in the public headers, as plain objects: header by header, in the order of the text."""
import html
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree

from site_pages import ROOT

SETTINGS = """
INPUT=include
RECURSIVE=YES
FILE_PATTERNS=*.hpp *.h
STRIP_FROM_PATH=include
GENERATE_HTML=NO
GENERATE_LATEX=NO
GENERATE_XML=YES
XML_PROGRAMLISTING=NO
EXTRACT_ALL=YES
JAVADOC_AUTOBRIEF=NO
AUTOLINK_SUPPORT=NO
MACRO_EXPANSION=YES
EXPAND_ONLY_PREDEF=YES
PREDEFINED=KILN_API= CL_TARGET_OPENCL_VERSION=300
EXCLUDE_SYMBOLS=*::detail *::Handles
WARN_AS_ERROR=FAIL_ON_WARNINGS
QUIET=YES
"""
TYPES = ("class", "struct", "union", "concept")
# What is public for the sake of Kiln's own modules says so, or is about the state behind a handle.
INTERNAL = re.compile(r"For Kiln(&#x27;|')s own modules|\b[A-Za-z]*State\b|\bSession\b")


class Entry:
    """A type, function, variable, alias, enumeration or macro, with its comment as HTML."""

    def __init__(self, kind, name, line, declaration, comment):
        self.kind, self.name, self.line = kind, name, line
        self.declarations, self.comment = [tidy(declaration)], comment
        self.names = [name]   # with those that share its comment
        self.members = []     # of types: Entries
        self.values = []      # of enumerations: (name, value, comment)
        self.anchor = ""
        self.last_line = line


def read_headers(folder):
    """{path of a header below include/: [Entry, …]}; Doxygen's XML is written to `folder`."""
    os.makedirs(folder, exist_ok=True)
    settings = SETTINGS + f"OUTPUT_DIRECTORY={folder}\n"
    run = subprocess.run(["doxygen", "-"], input=settings, cwd=ROOT, text=True, capture_output=True)
    if run.returncode != 0:
        raise SystemExit(f"docs: doxygen does not understand a comment:\n{run.stderr.strip()}")
    return Reader(os.path.join(folder, "xml")).headers


class Reader:
    def __init__(self, folder):
        self.headers, self.types = {}, {}
        compounds = []
        for name in sorted(os.listdir(folder)):
            if name.endswith(".xml") and name not in ("index.xml", "Doxyfile.xml"):
                compounds += ElementTree.parse(os.path.join(folder, name)).getroot().findall("compounddef")
        for compound in compounds:
            if compound.get("kind") in TYPES:
                self.read_type(compound)
        for compound in compounds:
            if compound.get("kind") in ("namespace", "file"):
                self.read_members(compound)
        self.nest_types()
        for path, entries in self.headers.items():
            entries.sort(key=lambda entry: entry.line)
            self.headers[path] = join_overloads(entries)

    def add(self, entry, place):
        entries = self.headers.setdefault(header_of(place), [])
        # A file and its namespace both have what stands in the namespace.
        if not any(other.line == entry.line and other.name == entry.name for other in entries):
            entries.append(entry)

    def read_type(self, compound):
        place, name = compound.find("location"), compound.findtext("compoundname")
        if not place.get("file", "").endswith((".hpp", ".h")) or compound.get("prot") in ("private", "protected"):
            return
        short = re.sub(r"^kiln::((blas|expr|mesh|spec|tune|kdb|npy|poclbin|formats)::)?", "", name)
        kind = compound.get("kind")
        if kind == "concept":
            declaration = " ".join(text_of(compound.find("initializer")).split())
            declaration = declaration.replace("> concept", ">\nconcept").replace("kiln::blas::", "").replace("kiln::", "")
        else:
            declaration = template_of(compound) + f"{kind} {short}" + bases_of(compound)
        entry = Entry(kind, short, int(place.get("line")), declaration, comment_of(compound))
        if re.search(r"(State|Session)$", short) or INTERNAL.search(entry.comment[:60]):
            return
        for member in compound.iter("memberdef"):
            if member.get("prot") == "public" and member.get("kind") != "friend":
                read = read_member(member)
                if not is_internal(read) and not is_usual(read):
                    entry.members.append(read)
        entry.members.sort(key=lambda one: one.line)
        entry.members = join_overloads(entry.members)
        self.types[name] = (entry, place)

    def read_members(self, compound):
        for member in compound.iter("memberdef"):
            place = member.find("location")
            if place.get("file", "").endswith((".hpp", ".h")) and not member.findtext("name").startswith("@"):
                entry = read_member(member)
                # In C, an enumeration goes by the name of its typedef.
                if not is_internal(entry) and not entry.declarations[0].startswith("typedef enum"):
                    self.add(entry, place)

    def nest_types(self):
        """A type within a type is shown after it, under its whole name; forward declarations are not."""
        for entry, place in self.types.values():
            if entry.members or entry.comment or entry.kind == "concept":
                self.add(entry, place)


def tidy(declaration):
    """Spaces as the project's style has them."""
    text = re.sub(r"<\s+", "<", re.sub(r"\s+>", ">", declaration))
    text = re.sub(r"\s+([*&]+)\s*(?=\w)", r"\1 ", text)
    text = re.sub(r"\s+([*&]+)(?=[,)>]|$)", r"\1", text)
    return re.sub(r"\s*=\s*(default|delete)$", r" = \1", text.replace("template<", "template <"))


def is_internal(entry):
    return any(INTERNAL.search(text) for text in [entry.comment[:60], *entry.declarations])


def is_usual(entry):
    """Copies, moves, destructors and defaulted functions of which there is nothing to say."""
    return not entry.comment and (entry.name.startswith(("~", "operator=")) or
                                  entry.declarations[0].endswith(("= default", "= delete")))


def header_of(place):
    path = place.get("file")
    return path[len("include/"):] if path.startswith("include/") else path


def read_member(member):
    kind, name = member.get("kind"), member.findtext("name")
    if kind == "enum":
        name = name.rstrip("_")
    entry = Entry(kind, name, int(member.find("location").get("line")), declaration_of(member), comment_of(member))
    for value in member.findall("enumvalue"):
        initial = text_of(value.find("initializer")).lstrip("= ")
        entry.values.append((value.findtext("name"), initial, comment_of(value)))
    return entry


def declaration_of(member):
    kind, name = member.get("kind"), member.findtext("name")
    result = text_of(member.find("type"))
    if member.get("static") == "yes" and "static" not in result:
        result = "static " + result
    if kind == "enum":
        return f"enum {'class ' if member.get('strong') == 'yes' else ''}{name.rstrip('_')}"
    if kind == "define":
        return f"#define {name}{parameters_of(member) if member.find('param') is not None else ''}"
    if kind == "typedef":
        definition = member.findtext("definition")
        return definition if definition.startswith("typedef") else f"{template_of(member)}using {name} = {result}"
    if kind == "function":
        arguments = member.findtext("argsstring")
        text = template_of(member) + f"{result} {name}{arguments}".strip()
        return text if len(text) <= 92 else template_of(member) + broken(f"{result} {name}".strip(), member)
    initial = " ".join(text_of(member.find("initializer")).split())
    if len(initial) > 60:
        initial = ""
    array = member.findtext("argsstring") or ""
    return template_of(member) + f"{result} {name}{array}" + (f" {initial}" if initial.startswith("=") else initial)


def broken(head, member):
    """A long declaration: a parameter a line."""
    parameters = [parameter_text(one) for one in member.findall("param")]
    tail = re.sub(r"^.*\)", "", member.findtext("argsstring"), flags=re.DOTALL)
    return head + "(\n    " + ",\n    ".join(parameters) + ")" + tail


def parameter_text(parameter):
    written = text_of(parameter.find("type"))
    name = parameter.findtext("declname") or parameter.findtext("defname") or ""
    default = text_of(parameter.find("defval"))
    array = parameter.findtext("array") or ""
    return f"{written} {name}{array}".strip() + (f" = {default}" if default else "")


def parameters_of(member):
    return "(" + ", ".join(one.findtext("defname") or parameter_text(one) for one in member.findall("param")) + ")"


def template_of(element):
    parameters = element.find("templateparamlist")
    if parameters is None:
        return ""
    return "template <" + ", ".join(parameter_text(one) for one in parameters.findall("param")) + ">\n"


def bases_of(compound):
    bases = ["public " + text_of(base).removeprefix("kiln::") for base in compound.findall("basecompoundref") if base.get("prot") == "public"]
    return " : " + ", ".join(bases) if bases else ""


def text_of(element):
    return "" if element is None else "".join(element.itertext()).strip()


def join_overloads(entries):
    """What has no comment of its own and follows one of its kind is told by that one's comment."""
    joined = []
    for entry in entries:
        last = joined[-1] if joined else None
        if (last and not entry.comment and entry.kind == last.kind and entry.line - last.last_line <= 6
                and (entry.kind == "define" or entry.kind == "function" and alike(entry.name, last.name))):
            last.declarations.append(entry.declarations[0])
            last.names.append(entry.name)
            last.last_line = entry.line
        else:
            entry.last_line = entry.line + 2 * entry.declarations[0].count("\n")
            joined.append(entry)
    return joined


def alike(name, other):
    """The same name, or one that differs by the letter of BLAS for the precision."""
    letterless = [re.sub(r"^(cl(?:Amd)?[Bb]las)i?[SDCZ]?[a-z]?", r"\1", one) for one in (name, other)]
    return name == other or (letterless[0] != name and letterless[0][-3:] == letterless[1][-3:])


# ---- Comments ----

def comment_of(element):
    return "".join(paragraphs(element.find(part)) for part in ("briefdescription", "detaileddescription",
                                                               "inbodydescription")).strip()


def paragraphs(element):
    if element is None:
        return ""
    return "".join(block(child) for child in element)


BLOCKS = ("itemizedlist", "orderedlist", "preformatted", "verbatim", "programlisting", "table")


def block(element):
    """A paragraph of a comment; lists and code in it end it."""
    if element.tag == "para":
        parts, line = [], html.escape(element.text or "")
        for child in element:
            if child.tag in BLOCKS or child.tag == "simplesect":
                parts += [f"<p>{line.strip()}</p>" if line.strip() else "", block(child)]
                line = ""
            else:
                line += inline(child)
            line += html.escape(child.tail or "")
        return "".join(parts) + (f"<p>{line.strip()}</p>" if line.strip() else "")
    if element.tag in ("itemizedlist", "orderedlist"):
        tag = "ul" if element.tag == "itemizedlist" else "ol"
        return f"<{tag}>" + "".join(f"<li>{paragraphs(item)}</li>" for item in element) + f"</{tag}>"
    if element.tag in ("preformatted", "verbatim", "programlisting"):
        lines = [text_of(line) for line in element.findall("codeline")] or ["".join(element.itertext()).strip("\n")]
        text = html.escape("\n".join(lines))
        return f'<pre tabindex="0" role="group" aria-label="Code"><code>{text}</code></pre>'
    return paragraphs(element)


def inline(element):
    if element.tag == "sp":
        return " "
    if element.tag == "linebreak":
        return "<br>"
    inner = html.escape(element.text or "") + "".join(inline(one) + html.escape(one.tail or "") for one in element)
    marks = {"computeroutput": "code", "bold": "strong", "emphasis": "em"}
    if element.tag in marks:
        return f"<{marks[element.tag]}>{inner}</{marks[element.tag]}>"
    return {"ndash": "–", "mdash": "—", "hellip": "…"}.get(element.tag, inner)
