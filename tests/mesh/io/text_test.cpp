#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "mesh/io/mesh_io.hpp"
#include "mesh/io/sample_mesh.hpp"

namespace kiln::mesh {
namespace {

using testing::refusal;
using testing::same;
using testing::two_squares;
using testing::two_squares_by_row;

constexpr const char* airfoil_text =
    "6 2 1 6\n"
    "0.000000 0.000000\n1.000000 0.000000\n2.000000 0.000000\n"
    "0.000000 1.000000\n1.000000 1.000000\n2.000000 1.000000\n"
    "0 1 4 3\n1 2 5 4\n"
    "1 4 1 0\n"
    "0 1 0 1\n1 2 1 1\n2 5 1 2\n5 4 1 2\n4 3 0 2\n3 0 0 2\n";

constexpr const char* aero_text =
    "6 2 2\n"
    "0.000000 0.000000\n1.000000 0.000000\n2.000000 0.000000\n"
    "0.000000 1.000000\n1.000000 1.000000\n2.000000 1.000000\n"
    "0 1 3 4\n1 2 4 5\n"
    "0\n5\n";

Expected<MeshFile> read(std::string_view text) { return read_text(as_bytes(text)); }

std::string changed(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  return at == text.npos ? "the test's own mistake" : text.replace(at, from.size(), to);
}

TEST(TextMesh, reads_airfoil_s_and_aero_s_files) {
  const auto airfoil = read(airfoil_text);
  ASSERT_TRUE(airfoil) << airfoil.error().message();
  EXPECT_TRUE(same(*airfoil, two_squares()));
  const auto aero = read(aero_text);
  ASSERT_TRUE(aero) << aero.error().message();
  EXPECT_TRUE(same(*aero, two_squares_by_row()));
}

TEST(TextMesh, writes_them) {
  EXPECT_EQ(as_text(write_text(two_squares()).value()), airfoil_text);
  EXPECT_EQ(as_text(write_text(two_squares_by_row()).value()), aero_text);
}

TEST(TextMesh, does_not_mind_blanks_and_the_ends_of_lines) {
  std::string text = airfoil_text;
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 4)
    text.replace(at, 1, " \t\r\n");
  const auto mesh = read("  " + text + " \n\n");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_TRUE(same(*mesh, two_squares()));
  std::string cut = airfoil_text;
  cut.pop_back();
  EXPECT_TRUE(read(cut)) << "the last line needs no end";
}

TEST(TextMesh, reads_numbers_in_every_form) {
  const auto mesh = read("2 0 0\n1e-3 -.5\nnan -inf\n");
  ASSERT_TRUE(mesh) << mesh.error().message();
  const auto x = values_of<double>(mesh->dats[0]);
  EXPECT_EQ(x[0], 1e-3);
  EXPECT_EQ(x[1], -0.5);
  EXPECT_NE(x[2], x[2]);
}

TEST(TextMesh, says_which_line_holds_what_is_wrong) {
  const auto message = [](std::string_view from, std::string_view to) {
    return refusal(read(changed(airfoil_text, from, to)));
  };
  EXPECT_EQ(message("2.000000 0.000000", "2.000000 0.0x"),
            "line 4: found '0.0x', expected node 2: x and y");
  EXPECT_EQ(message("2.000000 0.000000", "2.000000"),
            "line 4: found the end of the line, expected node 2: x and y");
  EXPECT_EQ(message("2.000000 0.000000", "2 0 0"),
            "line 4: found '0', expected node 2: the end of the line after x and y");
  EXPECT_EQ(message("0 1 4 3", "0 1 6 3"),
            "line 8: found '6', expected cell 0: a node from 0 to 5");
  EXPECT_EQ(message("0 1 4 3", "0 1 -4 3"),
            "line 8: found '-4', expected cell 0: a node from 0 to 5");
  EXPECT_EQ(message("1 4 1 0", "1 4 1 2"),
            "line 10: found '2', expected edge 0: a cell from 0 to 1");
  EXPECT_EQ(message("1 4 1 0", "1 4 1 1.5"),
            "line 10: found '1.5', expected edge 0: two nodes and two cells");
  EXPECT_EQ(
      message("3 0 0 2", "3 0 0 99999999999"),
      "line 16: found '99999999999', expected boundary edge 5: two nodes, a cell and the kind "
      "of boundary");
  EXPECT_EQ(message("3 0 0 2\n", "3 0 0 2\n7\n"),
            "line 17: found '7', expected the end of the file");
  EXPECT_EQ(message("3 0 0 2\n", "  "),
            "line 16: found the end of the file, expected boundary edge "
            "5: two nodes, a cell and the kind of boundary");
  EXPECT_EQ(refusal(read(changed(aero_text, "\n5\n", "\n6\n"))),
            "line 11: found '6', expected boundary node 1: a node from 0 to 5");
}

TEST(TextMesh, refuses_wrong_headers_before_it_takes_memory) {
  const std::string wanted =
      ", expected the numbers of nodes, cells, edges and boundary edges, or of nodes, cells and "
      "boundary nodes";
  EXPECT_EQ(refusal(read("")), "line 1: found the end of the file" + wanted);
  EXPECT_EQ(refusal(read("6 2\n")), "line 1: found the end of the line" + wanted);
  EXPECT_EQ(refusal(read("6 -2 3\n")), "line 1: found '-2'" + wanted);
  EXPECT_EQ(refusal(read("mesh\n")), "line 1: found 'mesh'" + wanted);
  EXPECT_EQ(refusal(read("1 2 3 4 5\n")),
            "line 1: found '5', expected the end of the line after four numbers");
  EXPECT_EQ(refusal(read("2000000000 2000000000 2000000000 2000000000\n0 0\n")),
            "line 1: the header announces 28000000000 numbers, which take at least 55999999999 "
            "bytes; found 4 bytes after it");
}

TEST(TextMesh, keeps_a_hostile_word_in_the_line_and_short) {
  EXPECT_EQ(refusal(read("\x1b[31m\n")).substr(0, 25), "line 1: found '\\x1b[31m',");
  EXPECT_LT(refusal(read(std::string(100000, 'x'))).size(), 250u);
}

TEST(TextMesh, holds_only_what_the_applications_read) {
  MeshFile mesh = two_squares();
  mesh.constants.push_back({"gam", ScalarType::f64, 1, Bytes(8)});
  mesh.dats.push_back({"p_q", "cells", 1, ScalarType::f64, Bytes(16)});
  EXPECT_EQ(as_text(write_text(mesh).value()), airfoil_text);
  EXPECT_EQ(lost_in_text(mesh), (std::vector<std::string>{"p_q", "gam"}));
  EXPECT_EQ(lost_in_text(two_squares()), std::vector<std::string>{});
  EXPECT_EQ(lost_in_text(two_squares_by_row()), std::vector<std::string>{});
}

TEST(TextMesh, names_what_a_file_would_lack) {
  const std::string cannot = "no text file can hold this mesh: ";
  EXPECT_EQ(refusal(write_text(MeshFile{})),
            cannot + "expected a map 'pcell' from cells to 4 of them in nodes");
  MeshFile mesh = two_squares();
  mesh.dats.erase(mesh.dats.begin());
  EXPECT_EQ(refusal(write_text(mesh)),
            cannot + "expected a dat 'p_x' of two floats or doubles on nodes");
  mesh = two_squares();
  mesh.dats.pop_back();
  EXPECT_EQ(refusal(write_text(mesh)), cannot + "expected a dat 'p_bound' of one int on bedges");
  mesh = two_squares();
  mesh.maps[0].values[0] = 99;
  EXPECT_NE(refusal(write_text(mesh)).find("expected 0 to 5"), std::string::npos);
}

TEST(TextMesh, reads_back_a_generated_mesh_to_the_bit) {
  for (const auto variant : {Naca0012::Variant::airfoil, Naca0012::Variant::aero}) {
    const MeshFile mesh = make_naca0012({20, 30, variant}).value();
    const auto again = read_text(write_text(mesh).value());
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_TRUE(same(mesh, *again));
  }
}

// A line may be cut off, never a mesh: every part is refused but those that only lack the last end
// of line or end within a last number.
TEST(TextMesh, refuses_every_part_of_a_file) {
  for (const std::string_view text : {airfoil_text, aero_text})
    for (std::size_t size = 0; size + 1 < text.size(); ++size) {
      const auto mesh = read(text.substr(0, size));
      ASSERT_FALSE(mesh) << size;
      ASSERT_EQ(mesh.error().message().find('\n'), std::string::npos);
    }
}

TEST(TextMesh, survives_every_flipped_byte) {
  for (const std::string_view text : {airfoil_text, aero_text}) {
    std::size_t accepted = 0;
    for (std::size_t at = 0; at < text.size(); ++at)
      for (int bit = 0; bit < 8; ++bit) {
        std::string flipped(text);
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
        const auto mesh = read(flipped);
        if (mesh) {
          ++accepted;
          ASSERT_TRUE(check(*mesh));
        } else {
          ASSERT_EQ(mesh.error().message().find('\n'), std::string::npos);
        }
      }
    EXPECT_GT(accepted, 0u) << "a digit became another";
  }
}

RC_GTEST_PROP(TextMesh, any_words_are_refused_or_a_whole_mesh, (std::vector<std::uint8_t> words)) {
  std::string text;
  for (const auto word : words)
    text += std::string_view("0 1 2 3 4 \n\n\n-1 .5 x 9").substr(word % 22, 2);
  const auto mesh = read(text);
  if (mesh)
    RC_ASSERT(check(*mesh).has_value());
  else
    RC_ASSERT(mesh.error().message().find('\n') == std::string::npos);
}

}  // namespace
}  // namespace kiln::mesh
