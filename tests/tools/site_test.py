"""tools/site: links and headings as the repository has them, comments as Doxygen has them."""
import os
import sys
import unittest
import xml.etree.ElementTree as ElementTree

from check_includes_test import ROOT

sys.path.insert(0, os.path.join(ROOT, "tools/site"))
absent = ""
try:
    import api_pages
    import documents
    import doxygen_xml
    from site_pages import Links, Page, plain_text
except ImportError as error:
    absent = f"this Python has no {error.name}; Debian's has it, by the packages of tools/packages/docs.txt"


@unittest.skipIf(absent, absent)
class Rendered(unittest.TestCase):
    """A page with a text, among the project's own."""

    def render(self, text, source="docs/new.md"):
        self.page = Page(source, source[len("docs/"):-len("md")] + "html", "New")
        self.links = Links([self.page, documents.document_page("docs/blas.md", ""),
                            documents.document_page("README.md", "")])
        self.asked = []
        renderer = documents.Documents(self.links, lambda page, name, place: f"[{name} at {place}]")
        for page in list(self.links.pages.values())[1:]:
            renderer.render(page)
        self.links.asked.clear()
        self.links.problems.clear()
        renderer.render_text(self.page, text)
        return self.page.body

    def test_links_lead_to_pages_by_relative_paths(self):
        self.assertIn('href="../blas.html"', self.render("[x](../blas.md)", "docs/formats/new.md"))
        self.assertIn('href="project/readme.html#meshes"', self.render("[x](../README.md#meshes)"))
        self.assertIn('href="files/examples/cpp/multiply.cpp.html"', self.render("[x](../examples/cpp/multiply.cpp)"))
        self.assertIn('href="https://a.b/c#d"', self.render("[x](https://a.b/c#d)"))
        self.assertEqual(self.links.check(), [])

    def test_a_link_that_leads_nowhere_is_said_with_its_line(self):
        self.render("# New\n\n[x](blas.md) and\n\n[y](absent.md), [z](../examples), [q](../../etc/passwd)")
        self.assertEqual([one.split(" leads")[0] for one in self.links.check()],
                         [f"docs/new.md:5: the link {link}" for link in ("absent.md", "../examples", "../../etc/passwd")])

    def test_a_link_to_no_heading_is_found(self):
        self.render("[x](blas.md#no-such), [y](#here)\n\n## Here\n")
        self.assertEqual(self.links.check(), ["docs/new.md:1: the link blas.md#no-such: docs/blas.md has no heading #no-such"])

    def test_headings_have_the_anchors_of_github(self):
        self.render("# A\n## clBLAS's `kdb` files (old)\n## Same\n## Same\n")
        self.assertEqual([anchor for _, anchor, _ in self.page.headings], ["a", "clblass-kdb-files-old", "same", "same-1"])

    def test_blocks_of_commands_are_code_whatever_follows_the_language(self):
        self.assertIn('<span class="gp">$ </span>kiln', self.render("```sh run\n$ kiln devices\n```\n"))

    def test_what_tables_say_to_all_readers(self):
        body = self.render("| | a |\n|---|---|\n| b | c |\n")
        self.assertNotIn("<th></th>", body)
        self.assertIn('tabindex="0"', body)

    def test_pictures_know_where_they_are_asked_for(self):
        self.assertIn("[speed at docs/new.md:3]", self.render("# A\n\n<!-- picture: speed -->\n"))

    def test_search_finds_parts_by_their_headings(self):
        self.render("# A\n\ntext `of` it\n\n## B\n\nmore\n")
        self.assertEqual(self.page.sections, [("a", "A", "text of it"), ("b", "B", "more")])


@unittest.skipIf(absent, absent)
class Comments(unittest.TestCase):
    def test_paragraphs_lists_and_code_of_a_comment(self):
        text = ("<detaileddescription><para>Does <computeroutput>x</computeroutput> &lt; y.<itemizedlist><listitem><para>one"
                "</para></listitem></itemizedlist>After.</para></detaileddescription>")
        self.assertEqual(doxygen_xml.paragraphs(ElementTree.fromstring(text)),
                         "<p>Does <code>x</code> &lt; y.</p><ul><li><p>one</p></li></ul><p>After.</p>")

    def test_what_has_no_comment_is_told_with_the_one_before(self):
        def entry(name, line, comment=""):
            return doxygen_xml.Entry("function", name, line, f"void {name}()", comment)
        joined = doxygen_xml.join_overloads([entry("clblasSscal", 1, "scales"), entry("clblasDscal", 3),
                                             entry("clblasCsscal", 5), entry("clblasSdot", 7), entry("clblasSdot", 60)])
        self.assertEqual([one.names for one in joined],
                         [["clblasSscal", "clblasDscal", "clblasCsscal"], ["clblasSdot"], ["clblasSdot"]])

    def test_declarations_are_in_the_projects_style(self):
        self.assertEqual(doxygen_xml.tidy("std::span< const T > read(const Set &set, char * x)"),
                         "std::span<const T> read(const Set& set, char* x)")

    def test_examples_say_which_headers_they_show(self):
        shown = api_pages.examples()
        self.assertEqual(shown["kiln/mesh/set.hpp"], "examples/cpp/smooth_ring.cpp")
        self.assertEqual(shown["clBLAS-complex.h"], "examples/cpp/clblas_complex.c")

    def test_marks_within_a_line_part_no_words(self):
        self.assertEqual(plain_text("<p><span>par_loop</span>(<code>a</code>) <li>b</p>"), "par_loop(a) b")


if __name__ == "__main__":
    unittest.main()
