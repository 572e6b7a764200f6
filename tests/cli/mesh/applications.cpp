// `kiln mesh airfoil|aero|jac1|jac2|reduction`, and the same as programs of their own.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cli/command_process.hpp"
#include "test_paths.hpp"

namespace {

using kiln::ProcessResult;
using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class MeshApplication : public kiln::testing::CommandTest {
 protected:
  MeshApplication() {
    set("POCL_CACHE_DIR", KILN_BINARY_DIR "/pocl-cache");
    set("KILN_STORE", shared_store());
  }

  ProcessResult run(std::vector<std::string> words) {
    words.insert(words.begin(), "mesh");
    return kiln(std::move(words));
  }
  /// What it prints; expects the exit code, and nothing on standard error.
  std::string printed(std::vector<std::string> words, int code = 0) {
    const ProcessResult result = run(std::move(words));
    EXPECT_EQ(result.exit_code, code) << result.output;
    // On CPUs without registers for eight doubles PoCL's compiler counts its warnings there.
    static const std::regex counted("[0-9]+ warnings? generated\\.\n");
    EXPECT_EQ(std::regex_replace(result.errors, counted, ""), "");
    return result.output;
  }
  std::vector<Json> lines(std::vector<std::string> words, int code = 0) {
    words.emplace_back("--json");
    std::istringstream text(printed(std::move(words), code));
    std::vector<Json> all;
    for (std::string line; std::getline(text, line);) all.push_back(Json::parse(line));
    return all;
  }
  void refused(std::vector<std::string> words, const std::string& part) {
    kiln::testing::expect_refusal(run(std::move(words)), 2, part);
  }
  /// The small mesh of a variant, as text.
  void make_grid(const std::string& name, bool is_aero = false) {
    std::vector<std::string> words{"naca0012", "-I20", "-J30", "-o", name};
    if (is_aero) words.emplace_back("--aero");
    ASSERT_EQ(run(words).exit_code, 0);
  }
  ProcessResult example(const std::string& name, std::vector<std::string> words) {
    return program(KILN_BINARY_DIR "/bin/" + name, std::move(words));
  }
  /// The columns of a VTK file's XML, up to the numbers.
  std::string head_of(const std::string& name) {
    const auto text = kiln::value_or_throw(kiln::read_text(folder() / name));
    return text.substr(0, text.find("<AppendedData"));
  }
};

TEST_F(MeshApplication, does_not_write_over_the_mesh_that_it_reads) {
  make_grid("grid.h5");
  const auto before = kiln::value_or_throw(kiln::read_text(folder() / "grid.h5"));
  for (const char* option : {"--trace", "--gantt"})
    refused({"airfoil", "-g", "grid.h5", "-n", "1", option, "./grid.h5"},
            "./grid.h5 is also the file of --grid, expected different files");
  EXPECT_EQ(kiln::value_or_throw(kiln::read_text(folder() / "grid.h5")), before);
}

TEST_F(MeshApplication, refuses_coordinates_that_are_no_numbers) {
  make_grid("grid.dat");
  auto text = kiln::value_or_throw(kiln::read_text(folder() / "grid.dat"));
  const auto line = text.find('\n') + 1;
  text.replace(line, text.find(' ', line) - line, "nan");
  write("grid.dat", text);
  refused({"airfoil", "-g", "grid.dat", "-n", "1"}, "expected a finite number");
}

TEST_F(MeshApplication, airfoil_prints_the_ten_values) {
  make_grid("grid.dat");
  EXPECT_EQ(printed({"airfoil", "--grid", "grid.dat", "--check"}),
            "   100  2.07422e-04\n   200  6.04419e-05\n   300  2.07420e-05\n   400  4.92306e-06\n"
            "   500  1.98203e-06\n   600  9.32343e-07\n   700  7.90393e-07\n   800  3.27888e-07\n"
            "   900  1.98388e-07\n  1000  8.94103e-08\n");
  const auto single = lines({"airfoil", "-g", "grid.dat", "-n150", "--precision=s"});
  ASSERT_EQ(single.size(), 2u);
  EXPECT_EQ(single[0]["iteration"], 100);
  EXPECT_NEAR(single[0]["rms"].get<double>(), 2.07422e-04, 1e-7);
  EXPECT_EQ(single[1]["iteration"], 150);
}

TEST_F(MeshApplication, airfoil_holds_its_result_against_a_reference) {
  make_grid("grid.h5");
  const auto found = lines({"airfoil", "-g", "grid.h5", "-n100"});
  ASSERT_EQ(found.size(), 1u);
  const double rms = found[0]["rms"].get<double>();
  const auto held = [&](double factor, int code) {
    return lines({"airfoil", "-g", "grid.h5", "-n100", "--reference", Json(rms * factor).dump()},
                 code)
        .back();
  };
  EXPECT_EQ(held(1, 0)["check"], "passed");
  EXPECT_EQ(held(1 + 1e-6, 1)["check"], "failed");
  EXPECT_NEAR(held(1 + 1e-6, 1)["deviation_percent"].get<double>(), 1e-4, 1e-6);
  EXPECT_THAT(printed({"airfoil", "-g", "grid.h5", "-n1", "--reference=1"}, 1),
              HasSubstr("check FAILED: "));
}

TEST_F(MeshApplication, says_how_far_off_a_result_may_be) {
  make_grid("FE_grid.h5", true);
  EXPECT_THAT(printed({"aero", "-g", "FE_grid.h5", "-n1", "--reference=1"}, 1),
              HasSubstr("\ncheck FAILED: 99.9 % from the reference, 0.02 % allowed\n"));
  EXPECT_EQ(
      lines({"aero", "-g", "FE_grid.h5", "-n1", "--reference=1"}, 1).back()["allowed_percent"],
      0.02);
  for (const char* application : {"airfoil", "aero"})
    refused({application, "-g", "none.h5", "--reference=0"},
            "--reference: found 0, expected a number above 0");
}

TEST_F(MeshApplication, a_picture_that_cannot_be_written_is_refused_before_the_run) {
  for (const char* application : {"airfoil", "aero"}) {
    refused({application, "-g", "none.h5", "--vtu=/nowhere/flow.vtu"},
            "--vtu: cannot write /nowhere/flow.vtu: there is no folder /nowhere");
    refused({application, "-g", "none.h5", "--vtu=flow.png"},
            "--vtu flow.png: found the extension '.png', expected .vtu");
    refused({application, "-g", "none.h5", "--vtu=same.vtu", "--trace=same.vtu"},
            "same.vtu is also the file of --vtu, expected different files");
  }
}

TEST_F(MeshApplication, a_search_that_time_ended_says_so) {
  // Whether it does depends on the machine: the line stands where, and only where, it did.
  std::istringstream table(
      printed({"jac1", "--intervals=200", "--tune=0.1", "--store=" + fresh_store("tuned")}));
  std::map<std::string, std::string> expected;
  std::string line, found;
  std::getline(table, line);
  while (std::getline(table, line) && !line.empty()) {
    std::istringstream row(line);
    std::string name, tried, of;
    row >> name >> tried >> of;
    if (name.ends_with(':'))
      found += line + "\n";
    else if (tried != of)
      expected[name] = name + ": " + tried + " of " + of + " tried; time ran out\n";
  }
  std::string all;
  for (const char* loop : {"res", "update"}) all += expected[loop];
  EXPECT_EQ(found, all);
}

TEST_F(MeshApplication, airfoil_writes_the_timeline_of_its_loops) {
  make_grid("grid.h5");
  ASSERT_EQ(run({"airfoil", "-g", "grid.h5", "-n3", "--trace=t.json", "--gantt=t.html"}).exit_code,
            0);
  const Json trace = Json::parse(kiln::value_or_throw(kiln::read_text(folder() / "t.json")));
  std::map<std::string, int> kernels;
  for (const Json& event : trace["traceEvents"])
    if (event.value("cat", "") == "kernel") ++kernels[event["name"]];
  EXPECT_EQ(
      kernels,
      (std::map<std::string, int>{
          {"save_soln", 3}, {"adt_calc", 6}, {"res_calc", 6}, {"bres_calc", 6}, {"update", 6}}));
  EXPECT_THAT(kiln::value_or_throw(kiln::read_text(folder() / "t.html")), HasSubstr("res_calc"));
  refused({"airfoil", "-g", "grid.h5", "-n1", "--trace=/nowhere/t.json"}, "/nowhere/t.json");
}

TEST_F(MeshApplication, airfoil_reports_its_loops) {
  make_grid("grid.h5");
  const auto found = lines({"airfoil", "-g", "grid.h5", "-n3", "--report"});
  ASSERT_EQ(found.size(), 7u);  // the last step, five loops, the device
  std::map<std::string, int> counts, lanes;
  for (const Json& line : found)
    if (line.contains("loop")) {
      counts[line["loop"]] = line["count"];
      lanes[line["loop"]] = line["lanes"];
      if (line["loop"] == "bres_calc") {
        EXPECT_EQ(line["lanes_obstacle"],
                  "bres_calc:4: argument 5 ('bound') is of an integer type (int)");
      }
    }
  EXPECT_EQ(
      lanes,
      (std::map<std::string, int>{
          {"save_soln", 1}, {"adt_calc", 8}, {"res_calc", 8}, {"bres_calc", 1}, {"update", 8}}));
  EXPECT_EQ(
      counts,
      (std::map<std::string, int>{
          {"save_soln", 3}, {"adt_calc", 6}, {"res_calc", 6}, {"bres_calc", 6}, {"update", 6}}));
  EXPECT_GT(found.back()["copy_bytes_per_second"].get<double>(), 0.0);
  EXPECT_THAT(
      printed({"airfoil", "-g", "grid.h5", "-n3", "--report"}),
      ::testing::AllOf(HasSubstr("LOOP       COUNT  MS EACH"),
                       HasSubstr("\nbres_calc: one element at a time: bres_calc:4: argument 5")));
}

TEST_F(MeshApplication, what_is_found_of_lanes_is_kept_and_listed) {
  make_grid("grid.h5");
  const std::string store = (folder() / "store").string();
  const auto findings = [&] {
    const auto listed = kiln({"devices", "-v", "--json", "--devices=cpu", "--store", store});
    return Json::parse(listed.output).at("findings").at("lanes");
  };
  EXPECT_EQ(findings(), Json::array());
  EXPECT_THAT(kiln({"devices", "-v", "--store", store}).output,
              HasSubstr("\n  lanes       not tried yet\n"));

  set("KILN_EXPLAIN", "1");
  const std::vector<std::string> words{"airfoil",  "-g",  "grid.h5", "-n1",
                                       "--device", "cpu", "--store", store};
  const ProcessResult cold = run(words), warm = run(words);
  EXPECT_EQ(cold.exit_code, 0) << cold.errors;
  EXPECT_THAT(cold.errors, HasSubstr("lane probe"));
  EXPECT_THAT(warm.errors, HasSubstr("adt_calc"));
  EXPECT_THAT(warm.errors, ::testing::Not(HasSubstr("lane probe")));
  EXPECT_THAT(warm.errors, ::testing::Not(HasSubstr("compile      hit")));

  std::vector<std::string> names;
  for (const Json& finding : findings()) names.push_back(finding["name"]);
  EXPECT_THAT(names, ElementsAre("fabs of double8", "sqrt of double8"));
  EXPECT_THAT(kiln({"devices", "-v", "--store", store}).output,
              ::testing::ContainsRegex("\n  lanes       (yes|no ) fabs of double8"));
}

TEST_F(MeshApplication, airfoil_draws_the_flow) {
  make_grid("grid.h5");
  printed({"airfoil", "-g", "grid.h5", "-n10", "--vtu", "flow.vtu"});
  const std::string head = head_of("flow.vtu");
  EXPECT_THAT(head, HasSubstr("NumberOfPoints=\"1891\" NumberOfCells=\"1800\""));
  for (const char* name : {"density", "momentum", "energy", "pressure", "mach"})
    EXPECT_THAT(head, HasSubstr("Name=\"" + std::string(name) + "\""));
  EXPECT_THAT(head, HasSubstr("Float64"));
  printed({"airfoil", "-g", "grid.h5", "-n10", "--precision=s", "--vtu", "single.vtu"});
  EXPECT_THAT(head_of("single.vtu"), HasSubstr("Float32"));
}

TEST_F(MeshApplication, aero_prints_its_steps) {
  make_grid("grid.dat", true);
  const auto found = lines({"aero", "--grid", "grid.dat", "--steps=4", "--check"});
  ASSERT_EQ(found.size(), 4u);
  const int cg_steps[] = {14, 32, 14, 33};
  const double rms[] = {6.4005359585694e-04, 2.234468834258e-04, 6.86672957241e-06,
                        5.48329390186e-06};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(found[k]["step"], k + 1);
    EXPECT_EQ(found[k]["cg_steps"], cg_steps[k]);
    EXPECT_NEAR(found[k]["rms"].get<double>(), rms[k], 1e-9 * rms[k]);
  }
  EXPECT_THAT(printed({"aero", "-g", "grid.dat", "-n1"}), StartsWith("   1    14  6.4005359585"));
}

TEST_F(MeshApplication, aero_holds_its_result_against_a_reference_and_draws_it) {
  make_grid("grid.h5", true);
  EXPECT_THAT(printed({"aero", "-g", "grid.h5", "-n3", "--reference=6.86672957e-06"}),
              HasSubstr("check passed: "));
  EXPECT_THAT(printed({"aero", "-g", "grid.h5", "-n3", "--reference=6.87e-06"}, 1),
              HasSubstr("check FAILED: "));
  printed({"aero", "-g", "grid.h5", "-n1", "--vtu=flow.vtu"});
  EXPECT_THAT(head_of("flow.vtu"), HasSubstr("Name=\"potential\""));
}

TEST_F(MeshApplication, jac1_and_jac2_are_right) {
  for (const char* name : {"jac1", "jac2"}) {
    EXPECT_EQ(printed({name}),
              "sweep 1: u max 0.500000, rms 0.264575\n"
              "sweep 2: u max 0.625000, rms 0.386491\n"
              "0.6250  0.4375  0.3750  0.4375  0.6250\n"
              "0.4375  0.1250  0.0625  0.1250  0.4375\n"
              "0.3750  0.0625  0.0000  0.0625  0.3750\n"
              "0.4375  0.1250  0.0625  0.1250  0.4375\n"
              "0.6250  0.4375  0.3750  0.4375  0.6250\n"
              "check passed: all of 25 nodes are right\n");
    const auto found = lines({name, "-G", "40", "--check", "--report"});
    EXPECT_EQ(found[0]["u_max"], 0.5);
    EXPECT_EQ(found[1]["sweep"], 2);
    EXPECT_EQ(found.back(), Json::parse(R"({"check":"passed","nodes":1521,"wrong":0})"));
    EXPECT_EQ(found.size(), 6u) << "two sweeps, two loops, the device and the check";
  }
}

TEST_F(MeshApplication, reduction_counts) {
  make_grid("grid.h5");
  EXPECT_EQ(printed({"reduction", "-g", "grid.h5"}),
            "edges: 3530 of 3530 counted\ncells: 1800 of 1800 counted\n"
            "check passed: all of 2 counts are right\n");
  const auto found = lines({"reduction", "-g", "grid.h5", "--check"});
  EXPECT_EQ(found[0], Json::parse(R"({"set":"edges","size":3530,"counted":3530})"));
}

TEST_F(MeshApplication, refuses_typos) {
  refused({"airfol"}, "unknown sub-command 'airfol'; did you mean 'airfoil'?");
  refused({"jac3"}, "unknown sub-command 'jac3'; did you mean 'jac");
  refused({"airfoil", "--iteration=3"}, "did you mean '--iterations'?");
  refused({"airfoil", "-n0"}, "found '0', expected an integer of at least 1");
  refused({"airfoil", "--precision=q"}, "found 'q'");
  refused({"aero", "--precision=s"}, "unknown option --precision");
  refused({"aero", "--reference=small"}, "--reference: found 'small'");
  refused({"jac1", "-G4"}, "found '4', expected an integer of at least 5");
  refused({"jac2", "--intervals=20001"}, "--intervals: found 20001, expected at most 20000");
  refused({"reduction", "here"}, "unexpected argument 'here'");
}

TEST_F(MeshApplication, refuses_meshes_of_other_kinds) {
  make_grid("airfoil.h5");
  make_grid("aero.h5", true);
  refused({"airfoil", "-g", "aero.h5"}, "aero.h5: no set edges, expected the mesh of airfoil");
  refused({"reduction", "-g", "aero.h5"}, "aero.h5: no set edges, expected the mesh of airfoil");
  refused({"aero", "-g", "airfoil.h5"},
          "airfoil.h5: map pbedge leads from bedges to 2 nodes each, expected the mesh of aero");
  refused({"airfoil", "-g", "none.h5"}, "none.h5");
  refused({"aero", "-g", write("cut.dat", "3 1 1\n0 0\n1 1\n").string()}, "cut.dat");
  refused({"reduction", "-g", write("words.dat", "no mesh at all\n").string()}, "words.dat");
  make_grid("grid.h5");
  refused({"airfoil", "-g", "grid.h5", "--device", "~no such device"},
          "kiln: no device matches '~no such device'; present: 0 ");
}

TEST_F(MeshApplication, programs_do_the_same) {
  make_grid("new_grid.dat");
  make_grid("FE_grid.dat", true);
  const auto good = [&](const std::string& name, std::vector<std::string> words) {
    const ProcessResult result = example(name, std::move(words));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  };
  make_grid("new_grid.h5");
  EXPECT_EQ(good("reduction", {"new_grid.h5"}), good("reduction", {"new_grid.dat"}));
  EXPECT_EQ(good("airfoil", {"new_grid.dat", "200"}), "   100  2.07422e-04\n   200  6.04419e-05\n");
  EXPECT_THAT(good("airfoil", {"new_grid.dat", "100", "float"}), StartsWith("   100  2.074"));
  EXPECT_THAT(good("aero", {"FE_grid.dat", "1"}), StartsWith("   1    14  6.4005359585"));
  EXPECT_THAT(good("jac1", {}), HasSubstr("u max/rms = 0.625000 0.386491\ncheck passed\n"));
  EXPECT_THAT(good("jac2", {"7"}), HasSubstr("u max/rms = 0.625000 0.346109\ncheck passed\n"));
  EXPECT_EQ(good("reduction", {"new_grid.dat"}),
            "3530 of 3530 edges, 1800 of 1800 cells\ncheck passed\n");
}

TEST_F(MeshApplication, programs_say_how_they_are_used) {
  for (const char* name : {"airfoil", "aero", "jac1", "jac2", "reduction"}) {
    const ProcessResult result = example(name, {"--help"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, StartsWith("usage: " + std::string(name) + " "));
  }
}

TEST_F(MeshApplication, examples_print_what_they_should) {
  EXPECT_EQ(example("mesh_files", {}).output, "1800 centres of 1800 cells\n");
  EXPECT_EQ(example("first_loop", {}).output, "7\n8\n9\n");
  EXPECT_THAT(
      example("mesh_tour", {}).output,
      StartsWith("means: 2 4\ntouched: 1 3 6 2\nsum 130, least 1\nweights: 19 19\n"
                 "weights on the moon: 3 3\nmarks: 0 1 0 1\nproducts: 0 0 0 1\n"
                 "cells above the nodes: 1 1 1 0 1 1 1 0\nvisited: 1 1 1 0 0\ncounted 3\n"
                 "solution: 0 1.5 1.5 2\nconverged\nones again: 1 1 1 1\nand in cells: 1 1\n"
                 "2 loops wait\n1 loop waits\n"));
}

TEST_F(MeshApplication, programs_refuse_in_one_line) {
  const auto bad = [&](const std::string& name, std::vector<std::string> words) {
    const ProcessResult result = example(name, std::move(words));
    EXPECT_EQ(result.exit_code, 2) << name;
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.errors, StartsWith(name + ": "));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    return result.errors;
  };
  bad("airfoil", {});
  bad("aero", {"FE_grid.dat", "-1"});
  bad("jac1", {"4"});
  bad("jac2", {"6", "7"});
  EXPECT_THAT(bad("reduction", {"none.dat"}), HasSubstr("none.dat: No such file or directory"));
  write("cut.dat", "2 0 0 0\n0 0\n1 x");
  EXPECT_EQ(bad("airfoil", {"cut.dat"}),
            "airfoil: cut.dat: line 3: found 'x', expected node 1: x and y\n");
  make_grid("FE_grid.h5", true);
  EXPECT_EQ(bad("airfoil", {"FE_grid.h5"}),
            "airfoil: FE_grid.h5: no map pedge as this application's meshes have it\n");
  write("large.dat", "2 1 1 0\n0 0\n1 1\n0 1 1 9\n0 1 0 0\n");
  EXPECT_THAT(bad("airfoil", {"large.dat"}), HasSubstr("9"));
}

}  // namespace
