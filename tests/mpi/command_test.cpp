#include <nlohmann/json.hpp>
#include <optional>

#include "mpi/mpirun.hpp"

namespace kiln::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// `kiln mesh …` as ranks.
class RankCommand : public MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    auto made = TemporaryFolder::create("kiln-mpi");
    ASSERT_TRUE(made) << made.error().message();
    folder_.emplace(std::move(*made));
    store_ = {{"KILN_STORE", KILN_BINARY_DIR "/mpi-store"}};
  }
  std::string path(const std::string& name) const { return (folder_->path() / name).string(); }
  Ranks kiln(int count, const std::vector<std::string>& words) const {
    return run_program(count, KILN_COMMAND, words, store_);
  }
  /// The mesh of 1800 cells.
  std::string small_grid(const std::string& more = "--json") const {
    const std::string file = path("grid.h5");
    const Ranks made = kiln(1, {"mesh", "naca0012", "-I", "20", "-J", "30", more, "-o", file});
    EXPECT_EQ(made.result.exit_code, 0) << made.all();
    return file;
  }
  /// Lines of JSON that ranks print; each once.
  std::vector<nlohmann::json> lines(int count, std::vector<std::string> words) const {
    words.emplace_back("--json");
    const Ranks ranks = kiln(count, words);
    EXPECT_EQ(ranks.result.exit_code, 0) << ranks.all();
    std::istringstream text(ranks.result.output);
    std::vector<nlohmann::json> all;
    for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
  std::optional<TemporaryFolder> folder_;
  Variables store_;
};

const nlohmann::json& line_of(const std::vector<nlohmann::json>& lines, const std::string& key,
                              const std::string& value) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const nlohmann::json& line) {
    return line.contains(key) && line[key] == value;
  });
  if (found == lines.end()) throw std::runtime_error("no line has the " + key + " " + value);
  return *found;
}

TEST_F(RankCommand, OfFilesWorksOnOneRank) {
  const std::string file = path("grid.h5");
  const Ranks made = kiln(3, {"mesh", "naca0012", "-I", "10", "-J", "8", "-o", file});
  EXPECT_EQ(made.result.output, file + ": 279 nodes, 452 edges, 56 bedges, 240 cells\n")
      << made.all();
  EXPECT_EQ(made.result.exit_code, 0);
  EXPECT_EQ(kiln(2, {"mesh", "info", file}).result.output,
            kiln(1, {"mesh", "info", file}).result.output);
}

TEST_F(RankCommand, SaysOnceWhatIsWrong) {
  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{"mesh", "airfoil", "--iteration"}, "--iteration"},
      {{"mesh", "airfol"}, "did you mean 'airfoil'?"},
      {{"mesh", "info"}, "FILE"},
      {{"mesh", "jac1", "--intervals", "2"}, "--intervals"},
      {{"mesh", "airfoil", "--vtu", "flow.png"}, "expected .vtu"},
      {{"mesh", "check", path("absent.h5")}, "absent.h5"}};
  for (const auto& [words, text] : wrong) {
    const Ranks ranks = kiln(4, words);
    EXPECT_THAT(ranks.lines(), ElementsAre(HasSubstr(text))) << ranks.all();
    EXPECT_EQ(ranks.result.exit_code, 2) << ranks.all();
    EXPECT_EQ(ranks.result.output, "");
  }
  const Ranks file = kiln(3, {"mesh", "airfoil", "--grid", path("absent.h5")});
  EXPECT_THAT(file.lines(), ElementsAre(HasSubstr("absent.h5: no such file"))) << file.all();
  EXPECT_EQ(file.result.exit_code, 2);
}

TEST_F(RankCommand, SaysOnceWhatIsWrongWithAFile) {
  const std::string file = small_grid();
  const std::string whole = value_or_throw(read_text(file));
  value_or_throw(write_file(path("cut.h5"), as_bytes(whole.substr(0, whole.size() / 2))));
  const std::string aero = path("aero.h5");
  ASSERT_EQ(
      kiln(1, {"mesh", "naca0012", "-I", "4", "-J", "2", "--aero", "-o", aero}).result.exit_code,
      0);
  for (const int count : long_or<int>({1, 2, 3, 4}, {1, 3})) {
    const Ranks cut = kiln(count, {"mesh", "airfoil", "--grid", path("cut.h5")});
    EXPECT_THAT(cut.lines(), ElementsAre(HasSubstr("cut.h5: damaged HDF5 file"))) << cut.all();
    EXPECT_EQ(cut.result.exit_code, 2);
    const Ranks other = kiln(count, {"mesh", "airfoil", "--grid", aero});
    EXPECT_THAT(other.lines(), ElementsAre(HasSubstr("aero.h5: no set edges, expected")))
        << other.all();
    EXPECT_EQ(other.result.exit_code, 2);
  }
}

TEST_F(RankCommand, ReadsTextAndStandardInputAsOneProcessDoes) {
  const std::string file = path("grid.dat");
  ASSERT_EQ(kiln(1, {"mesh", "naca0012", "-I", "20", "-J", "30", "-o", file}).result.exit_code, 0);
  const std::string expected = "   100  2.07422e-04\n   200  6.04419e-05\n";
  for (const int count : {1, 2, 3}) {
    const Ranks ranks = kiln(count, {"mesh", "airfoil", "--grid", file, "-n", "200"});
    EXPECT_EQ(ranks.result.output, expected) << ranks.all();
  }
  ProcessRequest request{
      .program = "/bin/sh",
      .arguments = {"-c", "exec mpirun -np 2 \"$0\" mesh airfoil --grid - -n 200 < \"$1\"",
                    KILN_COMMAND, file},
      .environment = launcher_variables()};
  std::ranges::find(request.environment, "KILN_STORE", &Variables::value_type::first)->second =
      store_.front().second;
  request.limit = std::chrono::minutes(2);
  for (const std::string& from : {file, small_grid()}) {
    request.arguments.back() = from;
    const auto result = value_or_throw(run_process(request));
    EXPECT_EQ(result.output, expected) << result.errors;
  }
}

TEST_F(RankCommand, NamesElementsByTheirNumbersInTheFile) {
  ASSERT_EQ(kiln(1, {"mesh", "naca0012", "-I", "20", "-J", "30", "-o", path("grid.dat")})
                .result.exit_code,
            0);
  std::istringstream text(value_or_throw(read_text(path("grid.dat"))));
  std::string changed;
  int number = 0;
  for (std::string line; std::getline(text, line); ++number)
    changed += (number == 1500 ? "nan 0.5" : line) + "\n";
  value_or_throw(write_file(path("nan.dat"), as_bytes(changed)));
  for (const int count : {1, 2, 4}) {
    const Ranks ranks = kiln(count, {"mesh", "airfoil", "--grid", path("nan.dat")});
    EXPECT_THAT(ranks.lines(), ElementsAre(HasSubstr("dat p_x: element 1499 is nan, expected")))
        << ranks.all();
    EXPECT_EQ(ranks.result.exit_code, 2);
  }
}

TEST_F(RankCommand, RunsWithMoreRanksThanCells) {
  const std::string file = path("tiny.h5"), aero = path("tiny aero.h5");
  ASSERT_EQ(kiln(1, {"mesh", "naca0012", "-I", "2", "-J", "1", "-o", file}).result.exit_code, 0);
  ASSERT_EQ(
      kiln(1, {"mesh", "naca0012", "-I", "2", "-J", "1", "--aero", "-o", aero}).result.exit_code,
      0);
  const std::vector<std::string> flow{"mesh", "airfoil", "--grid", file, "-n", "3"};
  const std::vector<std::string> count{"mesh", "reduction", "--grid", file};
  const std::vector<std::string> potential{"mesh", "aero", "--grid", aero, "-n", "1"};
  for (const auto& words : {flow, count, potential}) {
    auto drawn = words;
    if (words[1] != "reduction") drawn.insert(drawn.end(), {"--vtu", path("tiny.vtu")});
    drawn.push_back("--check");
    const Ranks alone = kiln(1, words), ranks = kiln(8, drawn);
    EXPECT_EQ(ranks.result.exit_code, 0) << ranks.all();
    // The last digits of a sum depend on its order.
    EXPECT_EQ(ranks.result.output.substr(0, 12), alone.result.output.substr(0, 12)) << ranks.all();
  }
  const auto report = lines(8, {"mesh", "airfoil", "--grid", file, "-n", "3", "--report"});
  EXPECT_EQ(line_of(report, "set", "cells")["owned"]["least"], 0);
  EXPECT_EQ(line_of(report, "set", "cells")["elements"], 6);
}

TEST_F(RankCommand, PrintsItsHelpOnce) {
  const std::string alone = kiln(1, {"mesh", "airfoil", "--help"}).result.output;
  EXPECT_THAT(alone, HasSubstr("--iterations"));
  const Ranks ranks = kiln(3, {"mesh", "airfoil", "--help"});
  EXPECT_EQ(ranks.result.output, alone) << ranks.all();
  EXPECT_EQ(ranks.result.exit_code, 0);
}

TEST_F(RankCommand, OfOneProcessDoesItsWorkOnce) {
  const std::string file = small_grid();
  const std::vector<std::string> commands[] = {{"mesh", "info", file},
                                               {"mesh", "check", file},
                                               {"mesh", "convert", file, path("grid.vtu")},
                                               {"mesh", "jac1"},
                                               {"mesh", "jac2"},
                                               {"mesh", "jac1", "--trace", path("trace.json")}};
  for (const auto& words : commands) {
    const Ranks ranks = kiln(4, words);
    EXPECT_EQ(ranks.result.exit_code, 0) << ranks.all();
    EXPECT_EQ(ranks.result.output, kiln(1, words).result.output) << ranks.all();
  }
}

TEST_F(RankCommand, CountsEachElementOnce) {
  const std::string file = path("grid.h5");
  ASSERT_EQ(kiln(1, {"mesh", "naca0012", "-I", "20", "-J", "30", "-o", file}).result.exit_code, 0);
  for (const int count : {1, 2, 3, 4}) {
    const Ranks ranks = kiln(count, {"mesh", "reduction", "--grid", file});
    EXPECT_THAT(ranks.result.output, HasSubstr("edges: 3530 of 3530 counted\n")) << ranks.all();
    EXPECT_THAT(ranks.result.output, HasSubstr("cells: 1800 of 1800 counted\n")) << ranks.all();
    EXPECT_EQ(ranks.result.exit_code, 0);
  }
}

TEST_F(RankCommand, PrintsTheSameFlowWhateverTheNumberOfRanks) {
  const std::string file = path("grid.h5");
  ASSERT_EQ(kiln(1, {"mesh", "naca0012", "-I", "20", "-J", "30", "-o", file}).result.exit_code, 0);
  const std::string alone = kiln(1, {"mesh", "airfoil", "--grid", file, "-n", "200"}).result.output;
  EXPECT_EQ(alone, "   100  2.07422e-04\n   200  6.04419e-05\n");
  for (const int count : {2, 3, 4}) {
    const Ranks ranks = kiln(count, {"mesh", "airfoil", "--grid", file, "-n", "200"});
    EXPECT_EQ(ranks.result.output, alone) << ranks.all();
  }
}

TEST_F(RankCommand, PrintsTheSameFlowWithPartsByTheSpeedOfTheirDevices) {
  const std::string file = path("grid.h5");
  ASSERT_EQ(kiln(1, {"mesh", "naca0012", "-I", "20", "-J", "30", "-o", file}).result.exit_code, 0);
  // Of three on less cores one is slower, so that the mesh is cut again.
  for (const int count : long_or<int>({2, 3}, {3})) {
    const Ranks ranks = kiln(count, {"mesh", "airfoil", "--grid", file, "-n", "200", "--balance"});
    EXPECT_EQ(ranks.result.output, "   100  2.07422e-04\n   200  6.04419e-05\n") << ranks.all();
  }
}

TEST_F(RankCommand, FindsNothingWrongWithItsHalos) {
  const std::string file = path("grid.h5");
  ASSERT_EQ(kiln(1, {"mesh", "naca0012", "-I", "10", "-J", "15", "-o", file}).result.exit_code, 0);
  const std::vector<std::string> words{"mesh", "airfoil", "--grid", file, "-n", "20"};
  const std::string alone = kiln(1, words).result.output;
  Variables more = store_;
  more.emplace_back("KILN_MPI_CHECK", "1");
  EXPECT_EQ(run_program(3, KILN_COMMAND, words, more).result.output, alone);
  more.back().second = "perhaps";
  const Ranks wrong = run_program(2, KILN_COMMAND, words, more);
  EXPECT_THAT(wrong.first_line(), HasSubstr("KILN_MPI_CHECK: found 'perhaps', expected 0 or 1"));
  EXPECT_EQ(wrong.result.exit_code, 2);
}

TEST_F(RankCommand, SolvesTheSamePotentialWhateverTheNumberOfRanks) {
  const std::string file = path("grid.h5");
  ASSERT_EQ(
      kiln(1, {"mesh", "naca0012", "-I", "20", "-J", "30", "--aero", "-o", file}).result.exit_code,
      0);
  for (const int count : {1, 2, 4}) {
    const Ranks ranks = kiln(count, {"mesh", "aero", "--grid", file, "--steps", "3", "--reference",
                                     "6.86672957241e-06"});
    EXPECT_EQ(ranks.result.exit_code, 0) << ranks.all();
    EXPECT_THAT(ranks.result.output, HasSubstr("check passed: ")) << ranks.all();
  }
}

TEST_F(RankCommand, ReportsAllRanksOnce) {
  const std::string file = small_grid();
  // Each rank measures how fast a copy is.
  for (const int count : long_or<int>({2, 3}, {3})) {
    const auto report = lines(count, {"mesh", "airfoil", "--grid", file, "-n", "50", "--report"});
    EXPECT_EQ(std::count_if(report.begin(), report.end(),
                            [](const auto& line) { return line.contains("loop"); }),
              5);
    const auto& loop = line_of(report, "loop", "res_calc");
    EXPECT_EQ(loop["count"], 100);
    EXPECT_EQ(loop["exchanges"], 100);
    // One message in each direction between two ranks that are neighbours.
    const auto& cells = line_of(report, "set", "cells");
    const double pairs = cells["neighbours"]["mean"].get<double>() * count;
    EXPECT_NEAR(loop["messages"].get<double>(), 100 * pairs, 1e-6);
    // adt each time, q but for the first: with all copies of cells.
    const double copies = cells["halo"]["mean"].get<double>() * count;
    EXPECT_NEAR(loop["message_bytes"].get<double>(), copies * (100 * 8 + 99 * 32), 1e-3);
    for (const char* figure : {"seconds_of_ranks", "exchange_seconds", "wait_seconds"}) {
      EXPECT_LE(loop[figure]["least"], loop[figure]["mean"]) << figure;
      EXPECT_LE(loop[figure]["mean"], loop[figure]["greatest"]) << figure;
    }
    EXPECT_GE(loop["imbalance"], 1.0);
    EXPECT_EQ(loop["seconds"], loop["seconds_of_ranks"]["greatest"]);
    EXPECT_EQ(cells["elements"], 1800);
    EXPECT_EQ(cells["ranks"], count);
    EXPECT_NEAR(cells["owned"]["mean"].get<double>() * count, 1800, 1e-6);
    // What is computed twice is what is cut.
    EXPECT_EQ(loop["redundant"], line_of(report, "map", "pecell")["cut"]);
    EXPECT_GT(loop["redundant"], 0);
  }
}

TEST_F(RankCommand, PrintsTheReportOnce) {
  const Ranks ranks = kiln(2, {"mesh", "airfoil", "--grid", small_grid(), "-n", "10", "--report"});
  const std::string& text = ranks.result.output;
  for (const char* heading : {"MS WORST", "EXCHANGE MS", "NEIGHBOURS", "CUT", "a copy moves"}) {
    const auto at = text.find(heading);
    EXPECT_NE(at, std::string::npos) << heading << "\n" << ranks.all();
    EXPECT_EQ(text.find(heading, at + 1), std::string::npos) << heading << "\n" << text;
  }
}

// Open MPI gives ranks a terminal, and what they write to it to whoever reads.
TEST_F(RankCommand, PrintsNoColoursUnlessAskedTo) {
  const std::vector<std::string> words{"mesh", "info", small_grid()};
  const auto has_codes = [&](int count, const Variables& more) {
    Variables all = store_;
    all.emplace_back("TERM", "xterm");
    all.insert(all.end(), more.begin(), more.end());
    const Ranks ranks = run_program(count, KILN_COMMAND, words, all);
    EXPECT_EQ(ranks.result.exit_code, 0) << ranks.all();
    return ranks.result.output.find('\033') != std::string::npos;
  };
  for (const int count : {1, 2}) {
    EXPECT_FALSE(has_codes(count, {})) << count;
    EXPECT_TRUE(has_codes(count, {{"CLICOLOR_FORCE", "1"}})) << count;
    EXPECT_FALSE(has_codes(count, {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}})) << count;
  }
}

TEST_F(RankCommand, WarnsOnceOfAStoreThatIsNone) {
  const Ranks ranks = run_program(4, KILN_COMMAND, {"mesh", "reduction", "--grid", small_grid()},
                                  unoptimised({{"KILN_STORE", "/dev/null"}}));
  EXPECT_EQ(ranks.result.exit_code, 0) << ranks.all();
  EXPECT_THAT(ranks.lines(),
              ElementsAre("kiln: warning: the store in /dev/null is unusable: /dev/null is not a "
                          "folder"))
      << ranks.all();
}

TEST_F(RankCommand, WritesOneTimelineWithLanesOfAllRanks) {
  const std::string file = small_grid();
  const Ranks ranks = kiln(3, {"mesh", "airfoil", "--grid", file, "-n", "5", "--trace",
                               path("trace.json"), "--gantt", path("page.html")});
  ASSERT_EQ(ranks.result.exit_code, 0) << ranks.all();
  const auto trace = nlohmann::json::parse(value_or_throw(read_text(path("trace.json"))));
  std::map<int, std::string> lanes;
  std::map<std::string, int> exchanges, kernels, waits;  // by lane
  for (const auto& event : trace["traceEvents"]) {
    if (event["name"] == "thread_name") lanes[event["tid"]] = event["args"]["name"];
    if (event["ph"] != "X") continue;
    const std::string lane = lanes.at(event["tid"]);
    exchanges[lane] += event["cat"] == "exchange";
    kernels[lane] += event["cat"] == "kernel";
    waits[lane] += event["cat"] == "wait" && event["name"] == "global rms";
  }
  for (int rank = 0; rank < 3; ++rank) {
    const std::string own = "rank " + std::to_string(rank) + ": ";
    EXPECT_EQ(exchanges[own + "messages"], 10) << own;
    EXPECT_EQ(waits[own + "host"], 1) << own;
    const auto device = std::find_if(kernels.begin(), kernels.end(), [&](const auto& lane) {
      return lane.first.starts_with(own + "device ");
    });
    ASSERT_NE(device, kernels.end()) << own;
    // 9 loops a step, of which those that exchange are two spans where there is a core.
    EXPECT_GE(device->second, 45) << own;
    EXPECT_LE(device->second, 55) << own;
  }
  EXPECT_FALSE(lanes.contains(0));
  for (const auto& [number, lane] : lanes) EXPECT_TRUE(lane.starts_with("rank ")) << lane;
  EXPECT_TRUE(std::filesystem::exists(path("page.html")));
}

/// Prints how many cells pieces have, or fails where their union is not what one process wrote: the
/// same cells by their numbers, with the same corners and data, each once.
constexpr const char* union_reader = R"(
import base64, os, struct, sys
import xml.etree.ElementTree as tree
FORMATS = {'Int32': 'i', 'Int64': 'q', 'Float32': 'f', 'Float64': 'd', 'UInt8': 'B'}
def read(path):
    grid, appended = tree.parse(path).getroot()
    text = appended.text.strip()[1:]
    arrays = {}
    for part in grid[0]:
        for array in part:
            offset = int(array.get('offset'))
            size, = struct.unpack('<Q', base64.b64decode(text[offset:offset + 12])[:8])
            data = base64.b64decode(text[offset:offset + (8 + size + 2) // 3 * 4])[8:]
            form = FORMATS[array.get('type')]
            values = struct.unpack('<%d%s' % (size // struct.calcsize(form), form), data)
            width = int(array.get('NumberOfComponents'))
            arrays[part.tag, array.get('Name')] = [
                values[k:k + width] for k in range(0, len(values), width)]
    return arrays
def cells(arrays):
    found, nodes = [], [node for node, in arrays['Cells', 'connectivity']]
    for cell in range(len(arrays['Cells', 'types'])):
        corners = []
        for node in nodes[4 * cell:4 * cell + 4]:
            corners.append((arrays['Points', 'Points'][node],) + tuple(
                values[node] for (where, name), values in sorted(arrays.items())
                if where == 'PointData'))
        found.append((tuple(corners),) + tuple(
            (name, values[cell]) for (where, name), values in sorted(arrays.items())
            if where == 'CellData' and name not in ('partition', 'cell_number')))
    return found
whole, folder = sys.argv[1], os.path.dirname(sys.argv[2])
expected = cells(read(whole))
pieces = [piece.get('Source') for piece in tree.parse(sys.argv[2]).getroot().iter('Piece')]
united, sizes = {}, []
for rank, name in enumerate(pieces):
    arrays = read(os.path.join(folder, name))
    assert all(part == (rank,) for part in arrays['CellData', 'partition'])
    names = [array.get('Name') for array in tree.parse(sys.argv[2]).getroot().iter('PDataArray')]
    shown = [name for where, name in arrays if where in ('PointData', 'CellData')]
    assert names == shown + ['Points']
    for (number,), cell in zip(arrays['CellData', 'cell_number'], cells(arrays)):
        assert number not in united, number
        united[number] = cell
    sizes.append(len(arrays['Cells', 'types']))
assert sorted(united) == list(range(len(expected)))
TOLERANCE = float(sys.argv[3])
def close(a, b):
    if isinstance(a, tuple): return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, float): return abs(a - b) <= TOLERANCE * (1 + abs(a))
    return a == b
for number, cell in enumerate(expected):
    assert close(cell, united[number]), (number, cell, united[number])
print('pieces', len(pieces), 'cells', sum(sizes), 'least', min(sizes) > 0)
)";

TEST_F(RankCommand, DrawsPiecesWhoseUnionIsThePictureOfOneRank) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "python3 is not installed";
  const auto united = [&](const std::string& whole, const std::string& pieces,
                          const char* tolerance) {
    const auto result = value_or_throw(
        run_process({.program = "/usr/bin/python3",
                     .arguments = {"-c", union_reader, path(whole), path(pieces), tolerance}}));
    return result.exit_code == 0 ? result.output : result.errors;
  };
  const auto draw = [&](int count, std::vector<std::string> words, const std::string& name) {
    words.insert(words.end(), {"--vtu", path(name)});
    const Ranks ranks = kiln(count, words);
    EXPECT_EQ(ranks.result.exit_code, 0) << ranks.all();
  };
  const std::string file = small_grid();
  const std::vector<std::string> flow{"mesh", "airfoil", "--grid", file, "-n", "1"};
  draw(1, flow, "flow.vtu");
  for (const int count : long_or<int>({2, 4}, {4})) {
    draw(count, flow, "flow" + std::to_string(count) + ".vtu");
    EXPECT_EQ(united("flow.vtu", "flow" + std::to_string(count) + ".pvtu", "1e-13"),
              "pieces " + std::to_string(count) + " cells 1800 least True\n");
    EXPECT_FALSE(std::filesystem::exists(path("flow" + std::to_string(count) + ".vtu")));
  }
  auto single = flow;
  single.push_back("--precision=s");
  draw(1, single, "single.vtu");
  draw(3, single, "single3.vtu");
  EXPECT_EQ(united("single.vtu", "single3.pvtu", "1e-5"), "pieces 3 cells 1800 least True\n");
  small_grid("--aero");
  const std::vector<std::string> potential{"mesh", "aero", "--grid", file, "-n", "1"};
  draw(1, potential, "potential.vtu");
  draw(3, potential, "potential3.vtu");
  EXPECT_EQ(united("potential.vtu", "potential3.pvtu", "1e-9"), "pieces 3 cells 1800 least True\n");
}

TEST_F(RankCommand, LeavesNoPieceOfAPictureThatCannotBeWritten) {
  const std::string file = path("large.h5"), picture = path("flow.vtu");
  ASSERT_EQ(kiln(1, {"mesh", "naca0012", "-I", "80", "-J", "80", "-o", file}).result.exit_code, 0);
  const auto files = [&] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_->path()))
      if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
    return names;
  };
  // The file that names the pieces.
  std::filesystem::create_directory(path("flow.pvtu"));
  const std::vector<std::string> words{"mesh", "airfoil", "--grid", file,
                                       "-n",   "1",       "--vtu",  picture};
  const Ranks unnamed = kiln(3, words);
  EXPECT_THAT(unnamed.lines(), ElementsAre(HasSubstr("flow.pvtu: Is a directory")))
      << unnamed.all();
  EXPECT_EQ(unnamed.result.exit_code, 2);
  EXPECT_THAT(files(), ElementsAre("large.h5"));
  std::filesystem::remove(path("flow.pvtu"));
  // A piece, as on a disk that is full: files of one rank may have a megabyte. A store may have
  // more.
  std::vector<std::string> limited{
      "-c", "[ $OMPI_COMM_WORLD_RANK = 1 ] && ulimit -f 1024; exec \"$0\" \"$@\"", KILN_COMMAND};
  limited.insert(limited.end(), words.begin(), words.end());
  const Ranks full = run_program(2, "/bin/bash", limited, unoptimised({{"KILN_STORE", "off"}}));
  EXPECT_THAT(full.lines(), ElementsAre(HasSubstr("flow_1.vtu: File too large"))) << full.all();
  EXPECT_EQ(full.result.exit_code, exit_code(Errc::io));
  EXPECT_THAT(files(), ElementsAre("large.h5"));
}

}  // namespace
}  // namespace kiln::testing
