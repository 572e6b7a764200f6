"""Pages of the site: what they are made of, where they lie, and links among them.

The site has a page for each Markdown document, one for each public header, and one for each other
file of the repository that a page links to. A link is written as it holds in the repository; here
it becomes the page of the file that it leads to. A link that leads nowhere is an error with the
place where it stands.
"""
import html
import os
import posixpath
import re

import pygments
import pygments.formatters
import pygments.lexers
import pygments.util

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
# What a link in a document may lead to, besides the documents.
SHOWN_FOLDERS = ("examples", "share", "tests", "tools", "src", "bench", "include")


class Page:
    """A page of the site. `source` is its file in the repository, `url` its place in the site."""

    def __init__(self, source, url, title, group=""):
        self.source, self.url, self.title, self.group = source, url, title, group
        self.body = ""
        self.summary = ""    # a sentence for search engines
        self.headings = []   # (level, id, text)
        self.sections = []   # (id, title, text): what search finds
        self.anchors = set()
        self.style = ""      # a class of the theme
        self.label = title   # in the navigation

    def new_anchor(self, text):
        """The anchor of a heading, by the rule of GitHub, so that links hold in both views."""
        slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
        anchor, count = slug, 0
        while anchor in self.anchors:
            count += 1
            anchor = f"{slug}-{count}"
        self.anchors.add(anchor)
        return anchor


class Links:
    """Turns links between files into links between pages, and remembers all of them."""

    def __init__(self, pages):
        self.pages = {page.source: page for page in pages}
        self.problems = []
        self.asked = []  # (place, page, anchor, link)

    def resolve(self, page, link, place):
        """The link as it stands in the page's HTML."""
        if EXTERNAL.match(link):
            return link
        path, _, anchor = link.partition("#")
        target = page
        if path:
            source = posixpath.normpath(posixpath.join(posixpath.dirname(page.source), path))
            target = self.page_of(source)
            if target is None:
                self.problems.append(f"{place}: the link {link} leads to no file ({source})")
                return link
        if anchor:
            self.asked.append((place, target, anchor, link))
        return self.between(page, target) + ("#" + anchor if anchor else "")

    def page_of(self, source):
        if source not in self.pages:
            path = os.path.join(ROOT, source)
            if not source.startswith(SHOWN_FOLDERS) or not os.path.isfile(path):
                return None
            self.pages[source] = file_page(source)
        return self.pages[source]

    @staticmethod
    def between(page, target):
        """From one page to another, by a relative path: the site may lie anywhere."""
        return "" if page is target else posixpath.relpath(target.url, posixpath.dirname(page.url) or ".")

    def check(self):
        """All problems, after the last page was made."""
        for place, target, anchor, link in self.asked:
            if anchor not in target.anchors:
                self.problems.append(f"{place}: the link {link}: {target.source} has no heading #{anchor}")
        return self.problems


def file_page(source):
    """A file of the repository as a page."""
    with open(os.path.join(ROOT, source), encoding="utf-8") as file:
        text = file.read()
    page = Page(source, "files/" + source + ".html", source, "Files")
    page.body = f"<h1>{html.escape(source)}</h1>\n" + code_block(text, lexer_of(source))
    page.summary = f"{source}, a file of Kiln's sources"
    return page


def lexer_of(path):
    name = {".cl": "c", ".hpp": "cpp", ".h": "c", ".txt": "cmake" if path.endswith("CMakeLists.txt") else "text"}
    extension = os.path.splitext(path)[1]
    return name.get(extension, extension[1:] or "text")


def code_block(text, language, label="Code"):
    """Highlighted code. It may be wider than the screen, so the keyboard can scroll it."""
    if language == "sh":  # commands behind a prompt, with what they print
        language = "console" if re.search(r"(?m)^\$ ", text) else "bash"
    try:
        lexer = pygments.lexers.get_lexer_by_name(language or "text", stripnl=False)
    except pygments.util.ClassNotFound:
        lexer = pygments.lexers.get_lexer_by_name("text", stripnl=False)
    inner = pygments.highlight(text, lexer, pygments.formatters.HtmlFormatter(nowrap=True))
    return f'<pre tabindex="0" role="group" aria-label="{html.escape(label)}"><code>{inner}</code></pre>\n'


def plain_text(markup):
    """HTML as the text that search goes through. Marks within a line part no words."""
    markup = re.sub(r"</?(?:span|code|a|em|strong)\b[^>]*>", "", markup)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", markup))).strip()
