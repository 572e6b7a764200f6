"""The reference: a page for each public header, made of its comments and of an example that is compiled."""
import html
import os
import re
import textwrap

from doxygen_xml import read_headers
from site_pages import ROOT, Page, code_block, plain_text

EXAMPLES = ("examples/cpp", "examples/graphs")
SHOWS = re.compile(r"^(?://| \*) Shows (.*?)\.$", re.MULTILINE | re.DOTALL)
# Not a program's to include: the macro that marks what is exported.
LEFT_OUT = ("kiln/api.hpp",)
KINDS = (("Types", ("class", "struct", "union", "enum", "typedef", "concept")),
         ("Functions", ("function",)), ("Constants and macros", ("variable", "define")))


def api_pages():
    """The pages, not rendered yet: links need all of them first."""
    pages = []
    for folder, _, names in sorted(os.walk(os.path.join(ROOT, "include"))):
        for name in sorted(names):
            source = os.path.relpath(os.path.join(folder, name), ROOT)
            header = source[len("include/"):]
            if header not in LEFT_OUT:
                pages.append(Page(source, "api/" + os.path.splitext(header)[0] + ".html", header, "Reference"))
    return sorted(pages, key=lambda page: (page.title.count("/") == 0, page.title))


def examples():
    """{header: path of the example that shows it}, by the line "Shows …" of the examples."""
    found = {}
    for folder in EXAMPLES:
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            if not name.endswith((".cpp", ".c")):
                continue
            path = f"{folder}/{name}"
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                shows = SHOWS.search(file.read())
            for header in re.split(r",\s*(?://|\*)?\s*", shows.group(1)) if shows else ():
                found.setdefault(header, path)
    return found


class ApiReference:
    def __init__(self, documents, links, folder):
        self.documents, self.links = documents, links
        self.headers, self.examples = read_headers(folder), examples()
        self.problems = [f"{path}: shows include/{header}, which is no public header"
                         for header, path in self.examples.items()
                         if not os.path.isfile(os.path.join(ROOT, "include", header))]

    def render(self, page):
        header = page.title
        entries = self.headers.get(header, [])
        parts = [f"<h1>{html.escape(header)}</h1>", self.introduction(page)]
        parts.append(f'<pre tabindex="0" role="group" aria-label="Include"><code>#include &lt;{header}&gt;</code></pre>')
        parts += [self.included(page), self.contents(page, entries), self.example(page, entries)]
        for title, kinds in KINDS:
            chosen = [entry for entry in entries if entry.kind in kinds]
            if chosen:
                parts.append(self.heading(page, 2, title))
                parts += [self.entry(page, entry, 3) for entry in chosen]
        page.body = "\n".join(parts)
        if not page.summary:
            names = ", ".join(dict.fromkeys(entry.name for entry in entries))
            page.summary = textwrap.shorten(names or plain_text(self.included(page)), 160, placeholder=" …")

    def introduction(self, page):
        """The comment before the first namespace, or that of the file."""
        with open(os.path.join(ROOT, page.source), encoding="utf-8") as file:
            text = file.read()
        found = re.search(r"((?:^///.*\n)+)namespace ", text, re.MULTILINE)
        if found:
            lines = [line[3:].removeprefix(" ") for line in found.group(1).splitlines()]
        elif found := re.search(r"/\*\*\s*\n \* @file\n(.*?)\*/", text, re.DOTALL):
            lines = [line.removeprefix(" *").removeprefix(" ") for line in found.group(1).splitlines()]
        else:
            lines = []
        text = "\n".join(lines)
        if re.search(r"(?m)^ {2,3}\w+ {2,}", text):  # a list of terms, set in as far as a header does
            text = re.sub(r"(?m)^ {2,}", lambda blanks: blanks.group(0) + "  ", text)
        body = self.linked(page, self.documents.fragment(page, text))
        page.summary = textwrap.shorten(plain_text(body), 160, placeholder=" …")
        page.sections.append(("", page.title, plain_text(body)))
        return body

    def heading(self, page, level, text):
        anchor = page.new_anchor(text)
        page.headings.append((level, anchor, text))
        return f'<h{level} id="{anchor}">{html.escape(text)}</h{level}>'

    def included(self, page):
        """Of a header that is made of others: what they are."""
        with open(os.path.join(ROOT, page.source), encoding="utf-8") as file:
            names = re.findall(r'#include "(kiln/[^"]+)"|#include <(clBLAS[^>]+)>', file.read())
        rows = []
        for name in (one or other for one, other in names):
            target = self.links.pages.get("include/" + name)
            if target:
                rows.append(f'<li><a href="{self.links.between(page, target)}">{name}</a></li>')
        return "<p>Includes:</p><ul>" + "".join(rows) + "</ul>" if rows else ""

    def contents(self, page, entries):
        for entry in entries:
            entry.anchor = page.new_anchor(entry.name.replace("::", "-"))
            page.anchors.update(entry.names)
            for member in entry.members:
                member.anchor = page.new_anchor(f"{entry.name}-{member.name}".replace("::", "-"))
        links = [f'<a href="#{entry.anchor}"><code>{html.escape(name)}</code></a>'
                 for entry in entries for name in dict.fromkeys(entry.names)]
        return f'<p class="names">{", ".join(links)}</p>' if 2 < len(links) < 120 else ""

    def example(self, page, entries):
        path = self.examples.get(page.title)
        if path is None:
            self.problems.append(f"{page.source}: no example in {' or '.join(EXAMPLES)} says that it shows {page.title}")
            return ""
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        names = {name.split("::")[-1] for entry in entries for one in [entry, *entry.members] for name in one.names}
        if names and not names & set(re.findall(r"\w+", text)):
            self.problems.append(f"{path}: says that it shows {page.title}, and uses none of its names")
        shown = self.links.resolve(page, os.path.relpath(path, os.path.dirname(page.source)), page.source)
        language = "cpp" if path.endswith(".cpp") else "c"
        return (self.heading(page, 2, "Example") +
                f'<p><a href="{shown}"><code>{path}</code></a>, compiled and run by the tests:</p>' +
                code_block(text, language, "Example"))

    def entry(self, page, entry, level):
        parts = [f'<section class="entry"><h{level} id="{entry.anchor}"><code>{html.escape(entry.name)}</code></h{level}>']
        page.headings.append((level, entry.anchor, entry.name))
        parts.append(code_block("\n".join(entry.declarations), "c" if page.source.endswith(".h") else "cpp", "Declaration"))
        parts.append(self.linked(page, entry.comment))
        if entry.values:
            parts.append(table("values of " + entry.name, ("value", "meaning"),
                               [(code(name + (f" = {value}" if value else "")), self.linked(page, comment))
                                for name, value, comment in entry.values]))
        fields = [one for one in entry.members if one.kind != "function"]
        if fields:
            parts.append(table("members of " + entry.name, ("member", "meaning"),
                               [(code(one.declarations[0]), self.linked(page, one.comment)) for one in fields]))
        functions = [one for one in entry.members if one.kind == "function"]
        if functions:
            rows = [(f'<span id="{one.anchor}">' + "<br>".join(code(text) for text in one.declarations) + "</span>",
                     self.linked(page, one.comment)) for one in functions]
            parts.append(table("functions of " + entry.name, ("function", "what it does"), rows))
        text = plain_text(" ".join(parts[2:]))
        page.sections.append((entry.anchor, " ".join(dict.fromkeys(entry.names)), text))
        page.sections += [(one.anchor, f"{entry.name}::{one.name}", plain_text(one.comment)) for one in functions]
        return "\n".join(parts) + "</section>"

    def linked(self, page, comment):
        """Names of headers and documents in a comment become links."""
        def link(found):
            name = found.group(0)
            target = self.links.pages.get("include/" + name) or self.links.pages.get(name)
            if target is None or target is page:
                return name
            return f'<a href="{self.links.between(page, target)}">{name}</a>'
        return re.sub(r"\b(?:kiln/[\w/]+\.hpp|docs/[\w/-]+\.md)\b", link, comment)


def code(text):
    return f"<code>{html.escape(text)}</code>"


def table(label, heads, rows):
    head = "".join(f"<th scope=\"col\">{one}</th>" for one in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (f'<div class="wide" tabindex="0" role="group" aria-label="{html.escape(label)}"><table class="{heads[0]}">'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>")
