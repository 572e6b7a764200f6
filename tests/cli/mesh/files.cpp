// `kiln mesh …`, which is a program of its own.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command/command.hpp"
#include "cli/command_process.hpp"
#include "test_paths.hpp"

namespace {

using kiln::ProcessResult;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Mesh : public kiln::testing::CommandTest {
 protected:
  /// Runs it, expects success with nothing on standard error, and gives what it printed.
  std::string good(std::vector<std::string> words) {
    const ProcessResult result = run(std::move(words));
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.errors, "");
    return result.output;
  }
  /// The one line of an error with this exit code.
  std::string bad(std::vector<std::string> words, int code = 2) {
    const ProcessResult result = run(std::move(words));
    EXPECT_EQ(result.exit_code, code) << result.output << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    return result.errors;
  }
  ProcessResult run(std::vector<std::string> words) {
    words.insert(words.begin(), "mesh");
    return kiln(std::move(words));
  }
  std::string text(const std::string& name) {
    return kiln::value_or_throw(kiln::read_text(folder() / name));
  }
};

TEST_F(Mesh, makes_meshes_by_the_name_s_extension) {
  EXPECT_EQ(good({"naca0012", "-I", "20", "-J", "30", "-o", "grid.h5"}),
            "grid.h5: 1891 nodes, 3530 edges, 140 bedges, 1800 cells\n");
  EXPECT_EQ(text("grid.h5").substr(1, 3), "HDF");
  EXPECT_EQ(good({"naca0012", "-I20", "-J30", "--aero", "-o", "FE_grid.dat", "--json"}),
            "{\"file\":\"FE_grid.dat\",\"sets\":{\"nodes\":1870,\"bedges\":120,\"cells\":1800}}\n");
  EXPECT_EQ(text("FE_grid.dat").substr(0, 14), "1870 1800 120\n");
  good({"naca0012", "-I20", "-J30", "--text", "-o", "grid.txt"});
  EXPECT_EQ(text("grid.txt").substr(0, 38), "1891 1800 3530 140\n9.000000 -0.000000\n");
}

TEST_F(Mesh, converts_there_and_back) {
  good({"naca0012", "-I20", "-J30", "-o", "a.dat"});
  EXPECT_EQ(good({"convert", "a.dat", "b.h5"}), "");
  EXPECT_EQ(good({"convert", "b.h5", "c.dat"}), "");
  EXPECT_EQ(text("a.dat"), text("c.dat"));
  good({"convert", "b.h5", "d.vtu", "--dat", "p_x"});
  EXPECT_THAT(text("d.vtu").substr(0, 400),
              HasSubstr("<Piece NumberOfPoints=\"1891\" NumberOfCells=\"1800\">"));
  good({"convert", "b.h5", "wall.vtu", "--cells=pbedge", "--dat", "p_bound", "--coordinates=p_x"});
  EXPECT_THAT(text("wall.vtu").substr(0, 400), HasSubstr("NumberOfCells=\"140\""));
}

TEST_F(Mesh, says_what_a_file_holds) {
  good({"naca0012", "-I20", "-J30", "-o", "grid.h5"});
  const std::string table = good({"info", "grid.h5"});
  EXPECT_THAT(table, HasSubstr("nodes   1891\n"));
  EXPECT_THAT(table, HasSubstr("pecell   edges   cells      2      0      1799\n"));
  EXPECT_THAT(table, HasSubstr("p_bound  bedges  int       1      1         2\n"));
  const auto json = nlohmann::json::parse(good({"info", "grid.h5", "--json"}));
  EXPECT_EQ(json["sets"].size(), 4u);
  EXPECT_EQ(json["maps"].size(), 5u);
  EXPECT_EQ(json["dats"][1]["name"], "p_x");
  EXPECT_EQ(json["dats"][1]["greatest"], 18.0);
  const auto piped = bash("\"$KILN\" mesh info - --json < grid.h5");
  EXPECT_EQ(nlohmann::json::parse(piped.output)["maps"], json["maps"]);
}

TEST_F(Mesh, checks_files) {
  good({"naca0012", "-I20", "-J30", "-o", "grid.h5"});
  EXPECT_EQ(good({"check", "grid.h5"}), "grid.h5: 4 sets, 5 maps, 2 data, nothing wrong\n");
  write("odd.dat", "3 1 1\n0 0\nnan 1\n2 2\n0 0 1 1\n1\n");
  const auto result = run({"check", "odd.dat"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.output,
            "odd.dat: map 'pcell': elements that name a target twice: 1, the first is 0\n"
            "odd.dat: set 'nodes': elements that no map leads to: 1, the first is 2\n"
            "odd.dat: dat 'p_x': elements with a value that is not finite: 1, the first is 1\n");
  const auto json = nlohmann::json::parse(run({"check", "odd.dat", "--json"}).output);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["findings"].size(), 3u);
  write("bad.dat", "3 1 1\n0 0\n1 1\n2 2\n0 1 2 3\n1\n");
  EXPECT_EQ(bad({"check", "bad.dat"}),
            "kiln: bad.dat: line 5: found '3', expected cell 0: a node from 0 to 2\n");
}

/// A file of another program's: a map of an unknown name, and no attributes that say which
/// sets maps join. Texts of the same length and place in the order of names, so that it stays HDF5.
std::string without_sets(std::string bytes) {
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"pcell", "pdell"},
        {"from", "frox"},
        {std::string("to\0\0\0\0\0\0", 8), std::string("tx\0\0\0\0\0\0", 8)}})
    for (auto at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + 1))
      bytes.replace(at, from.size(), to);
  return bytes;
}

TEST_F(Mesh, finds_what_could_not_be_read_and_takes_a_map_s_sets_from_the_command_line) {
  good({"naca0012", "-I20", "-J30", "--aero", "-o", "grid.h5"});
  write("plain.h5", without_sets(text("grid.h5")));
  const auto result = run({"check", "plain.h5"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.output,
            "plain.h5: left out: pdell: nothing says which sets it joins: attributes 'from' and "
            "'to' would ('set' for data), or --map pdell=FROM:TO (--on pdell=SET)\n"
            "plain.h5: set 'nodes': elements that no map leads to: 1750, the first is 0\n");
  const auto json = nlohmann::json::parse(run({"check", "plain.h5", "--json"}).output);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["findings"].front()["part"], "left out");
  EXPECT_THAT(json["findings"].front()["what"].get<std::string>(), StartsWith("pdell: "));

  const std::string told = "--map=pdell=cells:nodes";
  EXPECT_EQ(good({"check", "plain.h5", told}), "plain.h5: 3 sets, 2 maps, 1 data, nothing wrong\n");
  EXPECT_THAT(good({"info", "plain.h5", told}), HasSubstr("\npdell   cells   nodes      4 "));
  good({"convert", "plain.h5", "told.h5", told});
  good({"check", "told.h5"});

  EXPECT_EQ(bad({"info", "plain.h5", "--map=pdell=cells"}),
            "kiln: mesh info: --map: found 'pdell=cells', expected NAME=FROM:TO\n");
  EXPECT_EQ(bad({"info", "plain.h5", "--map=dell=cells:nodes", told}),
            "kiln: plain.h5: --map: the file has no 'dell'; did you mean 'pdell'?\n");
  EXPECT_EQ(bad({"info", "grid.h5", "--map=pcell=bedges:nodes"}),
            "kiln: grid.h5: --map: pcell joins cells and nodes, as the file says, found "
            "bedges:nodes\n");
  EXPECT_EQ(bad({"info", "grid.h5", "--on=p_x=cells"}),
            "kiln: grid.h5: --on: p_x is on nodes, as the file says, found cells\n");
}

TEST_F(Mesh, draws_cells_as_it_is_told) {
  good({"naca0012", "-I20", "-J30", "-o", "grid.h5"});
  good({"convert", "grid.h5", "grid.vtu", "--shape=quad"});
  EXPECT_EQ(bad({"convert", "grid.h5", "grid.vtu", "--shape=hexahedron"}),
            "kiln: grid.h5: there is no map with 8 (hexahedra) entries to 'nodes'\n");
  EXPECT_THAT(bad({"convert", "grid.h5", "grid.vtu", "--shape=cube"}), HasSubstr("found 'cube'"));
  EXPECT_EQ(bad({"convert", "grid.h5", "x.dat", "--shape=quad"}),
            "kiln: mesh convert: --shape is for .vtu files, found x.dat\n");
}

TEST_F(Mesh, suggests_the_name_of_a_dat) {
  good({"naca0012", "-I20", "-J30", "-o", "grid.h5"});
  const auto picture = run({"convert", "grid.h5", "grid.vtu", "--dat", "p_z"});
  EXPECT_EQ(picture.errors, "kiln: grid.h5: there is no dat 'p_z'; did you mean 'p_x'?\n");
  EXPECT_EQ(picture.exit_code, 2);
}

TEST_F(Mesh, has_clear_errors) {
  EXPECT_EQ(bad({}),
            "kiln: mesh: missing sub-command, expected one of naca0012, info, convert, check, "
            "airfoil, aero, jac1, jac2, reduction\n");
  EXPECT_EQ(bad({"chek"}), "kiln: mesh: unknown sub-command 'chek'; did you mean 'check'?\n");
  EXPECT_EQ(bad({"info", "--jsn", "x"}),
            "kiln: mesh info: unknown option --jsn; did you mean '--json'?\n");
  EXPECT_EQ(bad({"naca0012"}),
            "kiln: mesh naca0012: missing --output FILE (-o), the file to write\n");
  EXPECT_EQ(bad({"naca0012", "-I1", "-o", "x.h5"}),
            "kiln: mesh naca0012: --cells-along: found '1', expected an integer of at least "
            "2\n");
  EXPECT_EQ(bad({"naca0012", "-I", "99999", "-J", "99999", "-o", "x.h5"}),
            "kiln: mesh naca0012: found I = 99999 and J = 99999: more than 2147483647 edges, which "
            "is all that maps of 32-bit numbers can count\n");
  EXPECT_EQ(bad({"naca0012", "-o", "x.msh"}),
            "kiln: x.msh: found the extension '.msh', expected .h5 or .hdf5 (HDF5), .dat (text)\n");
  EXPECT_EQ(bad({"convert", "x.h5", "x.msh"}),
            "kiln: x.msh: found the extension '.msh', expected .h5 or .hdf5 (HDF5), .dat (text), "
            ".vtu (VTK)\n");
  EXPECT_EQ(bad({"convert", "x.h5", "x.dat", "--dat", "p"}),
            "kiln: mesh convert: --dat is for .vtu files, found x.dat\n");
  EXPECT_EQ(bad({"convert", "x.h5"}),
            "kiln: mesh convert: missing FILE: found 1, expected 2 (kiln mesh convert --help says "
            "more)\n");
  write("own.vtu", "<?xml version=\"1.0\"?>\n");
  EXPECT_THAT(bad({"info", "own.vtu"}),
              StartsWith("kiln: own.vtu: neither HDF5 nor a grid as text: line 1: found '<?xml'"));
  EXPECT_EQ(bad({"info", "absent.h5"}), "kiln: cannot open absent.h5: No such file or directory\n");
  EXPECT_EQ(bad({"info", "."}).substr(0, 6), "kiln: ");
}

TEST_F(Mesh, says_one_line_of_a_file_cut_off_anywhere) {
  good({"naca0012", "-I2", "-J1", "-o", "grid.h5"});
  good({"convert", "grid.h5", "grid.dat"});
  for (const std::string name : {"grid.h5", "grid.dat"}) {
    const std::string whole = text(name);
    for (std::size_t size = 0; size + 2 < whole.size(); size += 1 + whole.size() / 23) {
      write("cut-" + name, whole.substr(0, size));
      EXPECT_THAT(bad({"info", "cut-" + name}), StartsWith("kiln: cut-" + name + ": ")) << size;
    }
  }
}

// HDF5 1.10 loses memory over some damaged files, and would say so at the program's end.
TEST_F(Mesh, says_one_line_of_a_damaged_file) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer has something to say about each length that memory is asked for";
#endif
  good({"naca0012", "-I2", "-J1", "-o", "grid.h5"});
  const std::string whole = text("grid.h5");
  for (std::size_t at = 800; at < 1000; at += 7) {
    std::string garbled = whole;
    garbled[at] = static_cast<char>(~garbled[at]);
    write("garbled.h5", garbled);
    const auto result = run({"info", "garbled.h5"});
    EXPECT_LE(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_EQ(result.exit_code, result.errors.empty() ? 0 : 2) << at;
  }
}

TEST_F(Mesh, takes_options_from_every_place) {
  set("KILN_CELLS_ALONG", "20");
  // Sections of other commands mean nothing to the other program, and settings of all do.
  write(".config/kiln/config", "cells-out = 30\n[run]\nquiet = on\n[mesh naca0012]\naero = on\n");
  set("XDG_CONFIG_HOME", (folder() / ".config").string());
  EXPECT_EQ(good({"naca0012", "-o", "a.h5"}), "a.h5: 1870 nodes, 120 bedges, 1800 cells\n");
  EXPECT_EQ(good({"naca0012", "-o", "a.h5", "--no-aero", "-J", "1"}),
            "a.h5: 122 nodes, 79 edges, 82 bedges, 60 cells\n");
  write("-odd name.dat", "1 0 0\n0 0\n");
  EXPECT_THAT(good({"info", "--", "-odd name.dat"}), HasSubstr("nodes      1\n"));
}

TEST_F(Mesh, needs_its_program) {
  set("KILN_MESH_PROGRAM", "/absent/kiln-mesh");
  EXPECT_EQ(bad({"info", "x.h5"}),
            "kiln: cannot start /absent/kiln-mesh: No such file or directory\n");
  // Help needs none.
  EXPECT_THAT(kiln({"mesh", "info", "--help"}).output, HasSubstr("kiln mesh info [OPTION…] FILE"));
  EXPECT_THAT(kiln({"mesh", "--help"}).output, HasSubstr("mesh convert"));
}

TEST_F(Mesh, every_verb_has_a_body) {
  set("KILN_CONFIG", "off");
  const auto program_path = std::filesystem::path(KILN_COMMAND).parent_path() / "kiln-mesh";
  int verbs = 0;
  for (const auto* command : kiln::cli::command_list()) {
    const std::string name(command->name);
    if (!name.starts_with("mesh ")) continue;
    ++verbs;
    const auto result = program(program_path, {"mesh", name.substr(5), "--help"});
    EXPECT_EQ(result.exit_code, 0) << name << result.errors;
    EXPECT_EQ(result.output, kiln({"mesh", name.substr(5), "--help"}).output);
  }
  EXPECT_GE(verbs, 4);
}

}  // namespace
