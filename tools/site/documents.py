"""Markdown documents as pages: CommonMark and tables, as the repository's own view shows them."""
import html
import os
import posixpath
import re

from markdown_it import MarkdownIt

from site_pages import ROOT, Page, code_block, plain_text

# Names in the navigation of pages whose titles say too much or too little there.
LABELS = {"docs/index.md": "Start page", "README.md": "Read me", "docs/blas.md": "BLAS and clBLAS",
          "docs/products.md": "Halves, bytes and weights", "docs/clblast.md": "CLBlast",
          "ARCHITECTURE.md": "Architecture", "CONTRIBUTING.md": "Contributing", "docs/performance.md": "How fast it is"}
PICTURE = re.compile(r"<!-- picture: ([a-z-]+) -->\s*$")


class Documents:
    """Renders documents. `picture(page, name, place)` is the HTML of a picture that the build has made."""

    def __init__(self, links, picture):
        self.links, self.picture = links, picture
        self.markdown = MarkdownIt("commonmark", {"html": True}).enable("table")

    def render(self, page):
        with open(os.path.join(ROOT, page.source), encoding="utf-8") as file:
            self.render_text(page, file.read())

    def render_text(self, page, text):
        tokens = self.markdown.parse(text)
        self.give_anchors(page, tokens)
        for token in tokens:
            self.rewrite(page, token)
        body = self.markdown.renderer.render(tokens, self.markdown.options, {})
        page.body = with_cards(for_all_readers(body))
        page.sections = sections_of(page)
        page.summary = first_sentence(page.body)

    def fragment(self, page, text):
        """A comment of a header, which is Markdown, too."""
        tokens = self.markdown.parse(text)
        for token in tokens:
            self.rewrite(page, token)
        return for_all_readers(self.markdown.renderer.render(tokens, self.markdown.options, {}))

    def give_anchors(self, page, tokens):
        for token, inline in zip(tokens, tokens[1:]):
            if token.type == "heading_open":
                text = "".join(child.content for child in inline.children)
                anchor, level = page.new_anchor(text), int(token.tag[1])
                token.attrSet("id", anchor)
                page.headings.append((level, anchor, text))

    def rewrite(self, page, token):
        """What differs from the plain rendering: links, code, pictures."""
        place = f"{page.source}:{token.map[0] + 1}" if token.map else page.source
        for child in token.children or []:
            if child.type == "link_open":
                child.attrSet("href", self.links.resolve(page, child.attrGet("href"), place))
            elif child.type == "code_inline" and len(child.content) <= 24:
                child.attrSet("class", "short")  # an option is not parted after its dashes
        if token.type in ("fence", "code_block"):
            language = token.info.split()[0] if token.info.split() else "text"
            token.type, token.content = "html_block", code_block(token.content, language)
        elif token.type == "html_block" and (found := PICTURE.match(token.content)):
            token.content = self.picture(page, found.group(1), place)


def for_all_readers(body):
    """Tables that may scroll, and no empty headers."""
    body = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", body)
    body = body.replace("<table>", '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>')
    return body.replace("</table>", "</table></div>")


def with_cards(body):
    """Between two comments, the parts that begin with a heading are cards next to one another."""
    before, mark, rest = body.partition("<!-- cards -->")
    if not mark:
        return body
    inside, _, after = rest.partition("<!-- end of cards -->")
    cards = re.sub(r"(?=<h2)", "</section><section>", inside).replace("</section>", "", 1) + "</section>"
    return f'<div class="lead">{before}</div><div class="cards">{cards}</div>{after}'


def sections_of(page):
    """(anchor, title, text) of each part of the page that begins with a heading."""
    parts = re.split(r'<h[1-4] id="([^"]*)">(.*?)</h[1-4]>', page.body, flags=re.DOTALL)
    found = []
    for anchor, title, text in zip(parts[1::3], parts[2::3], parts[3::3]):
        found.append((anchor, plain_text(title), plain_text(text)))
    return found


def first_sentence(body):
    found = re.search(r"<p>(.*?)</p>", body, flags=re.DOTALL)
    text = plain_text(found.group(1)) if found else ""
    return re.split(r"(?<=[.:])\s", text, maxsplit=1)[0][:200]


def document_page(source, group):
    """The page of a document, not rendered yet; docs/ is the root of the site."""
    with open(os.path.join(ROOT, source), encoding="utf-8") as file:
        title = next((line[2:].strip() for line in file if line.startswith("# ")), source)
    relative = source[len("docs/"):] if source.startswith("docs/") else "project/" + source.lower()
    url = posixpath.splitext(relative)[0] + ".html"
    page = Page(source, url, html.unescape(re.sub(r"[`*]", "", title)), group)
    page.label = LABELS.get(source, page.title)
    return page
