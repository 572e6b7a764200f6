#!/usr/bin/python3
"""Builds the documents as a site: build_site.py --out FOLDER [--pictures FOLDER].

The interpreter is Debian's own, which has Debian's packages: markdown-it, Jinja2, Pygments.
Pictures are made apart (make_pictures.py); without --pictures pages have none. A page that asks for one that
is not there is an error.
"""
import argparse
import glob
import html
import json
import os
import shutil
import sys
import tempfile

import jinja2

from api_pages import ApiReference, api_pages
from documents import Documents, document_page
from site_pages import ROOT, Links, Page

HERE = os.path.dirname(os.path.abspath(__file__))


class Pictures:
    """Places pictures in pages. Of each there are four files, light and dark, wide and narrow, and
    in pictures.json what a reader who does not see it is told, and the command that made it."""

    def __init__(self, folder):
        self.folder, self.problems, self.used = folder, [], set()
        self.facts = {}
        if folder:
            with open(os.path.join(folder, "pictures.json"), encoding="utf-8") as file:
                self.facts = json.load(file)

    def place(self, page, name, place):
        if not self.folder:
            return ""
        if name not in self.facts:
            self.problems.append(f"{place}: there is no picture '{name}' (known: {' '.join(sorted(self.facts))})")
            return ""
        self.used.add(name)
        facts, up = self.facts[name], "../" * page.url.count("/")
        images = "".join(self.image(up, name, facts, theme) for theme in ("light", "dark"))
        # A browser may break a line at any hyphen, and an option would be cut.
        words = " ".join(f"<span>{html.escape(word)}</span>" for word in facts["command"].split())
        caption = html.escape(facts["caption"]) + f"<br><code>{words}</code>"
        if "page" in facts:
            caption += f'<br><a href="{up}pictures/{facts["page"]}">{html.escape(facts["page_text"])}</a>'
        return f"<figure>{images}<figcaption>{caption}</figcaption></figure>\n"

    def image(self, up, name, facts, theme):
        wide, narrow = facts["sizes"]
        file = f"{up}pictures/{name}-%s-{theme}.{facts['format']}"
        return (f'<picture class="{theme}"><source media="(max-width: 640px)" srcset="{file % "narrow"}" '
                f'width="{narrow[0]}" height="{narrow[1]}"><img src="{file % "wide"}" width="{wide[0]}" '
                f'height="{wide[1]}" alt="{html.escape(facts["alt"])}"></picture>')


def navigation():
    with open(os.path.join(HERE, "navigation.json"), encoding="utf-8") as file:
        return json.load(file)


def left_out(pages):
    """Documents that no group of the navigation names."""
    named = {page.source for page in pages}
    found = [os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "docs/**/*.md"), recursive=True)]
    return [f"{path} is not in tools/site/navigation.json" for path in sorted(found) if path not in named]


def reference_index(pages):
    """The first page of the reference: all headers, and what each is for."""
    index = Page("include", "api/index.html", "C++ and C reference", "Reference")
    rows = "".join(f'<tr><td><a href="{page.url[len("api/"):]}"><code>{page.title}</code></a></td>'
                   f"<td>{html.escape(page.summary)}</td></tr>" for page in pages)
    index.body = ("<h1>C++ and C reference</h1><p>The public headers. Each has an example that the tests compile and run. "
                  'What they are for is told in <a href="../library.html">Kiln in a C++ program</a>.</p>'
                  '<div class="wide" tabindex="0" role="group" aria-label="Headers"><table><thead><tr><th scope="col">header</th>'
                  f'<th scope="col">what it has</th></tr></thead><tbody>{rows}</tbody></table></div>')
    index.summary = "The public headers of Kiln, with an example for each"
    index.sections = [("", index.title, index.summary)]
    return index


def search_index(pages):
    """A script, not a JSON file: a page that is read from a folder may load scripts, and nothing else."""
    found = [[page.url + ("#" + anchor if anchor else ""), title, page.title, text[:4000]]
             for page in pages for anchor, title, text in page.sections]
    return "window.kilnSearch = " + json.dumps(found, ensure_ascii=False, separators=(",", ":")) + ";\n"


def write_site(out, pages, shown, template):
    groups = {}
    for page in shown:
        groups.setdefault(page.group, []).append(page)
    order = {page.url: place for place, page in enumerate(shown)}
    for page in pages:
        at = order.get(page.url)
        near = {"before": shown[at - 1] if at else None,
                "after": shown[at + 1] if at is not None and at + 1 < len(shown) else None}
        text = template.render(page=page, groups=groups, up="../" * page.url.count("/"), **near,
                               contents=[one for one in page.headings if one[0] in (2, 3)])
        path = os.path.join(out, page.url)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def build(out, picture_folder):
    """Returns (number of pages, problems)."""
    documents = [document_page(source, group) for group, sources in navigation().items() for source in sources]
    headers = api_pages()
    links, pictures = Links(documents + headers), Pictures(picture_folder)
    renderer = Documents(links, pictures.place)
    for page in documents:
        renderer.render(page)
    documents[0].style = "start"
    with tempfile.TemporaryDirectory(prefix="kiln-doxygen-") as folder:
        reference = ApiReference(renderer, links, folder)
    for page in headers:
        reference.render(page)
    index = reference_index(headers)
    shown = documents + [index] + headers
    files = [page for page in links.pages.values() if page not in shown]
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(os.path.join(HERE, "theme")), autoescape=True,
                                     trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    write_site(out, shown + files, shown, environment.get_template("page.html"))
    for name in ("site.css", "site.js", "icon.svg"):
        shutil.copy(os.path.join(HERE, "theme", name), out)
    with open(os.path.join(out, "search.js"), "w", encoding="utf-8") as file:
        file.write(search_index(shown))
    if picture_folder:
        shutil.copytree(picture_folder, os.path.join(out, "pictures"), ignore=shutil.ignore_patterns("*.json", "more"))
    return len(shown + files), left_out(documents) + links.check() + pictures.problems + reference.problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", required=True, help="the folder that becomes the site; what it held is gone")
    parser.add_argument("--pictures", help="a folder that make_pictures.py has filled; without it pages have none")
    options = parser.parse_args()
    made = options.out.rstrip("/") + ".new"  # a site is there whole, or the one before
    shutil.rmtree(made, ignore_errors=True)
    os.makedirs(made)
    pages, problems = build(made, options.pictures)
    for problem in problems:
        print(f"docs: {problem}", file=sys.stderr)
    if problems:
        return 1
    shutil.rmtree(options.out, ignore_errors=True)
    os.rename(made, options.out)
    print(f"-- {options.out}/index.html: {pages} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
