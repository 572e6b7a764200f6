#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "kiln/formats/task_graph.hpp"
#include "test_paths.hpp"

// The graphs of shared/data/task-graphs: sound ones, and 26 that are hostile or odd.
namespace kiln::task_graph {
namespace {

namespace fs = std::filesystem;

const fs::path shared_graphs = fs::path(KILN_SHARED_DIR) / "data" / "task-graphs";

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The graphs of a folder, by name; none where the folder is absent.
std::map<std::string, Expected<File>> graphs_of(const fs::path& folder) {
  std::map<std::string, Expected<File>> graphs;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder, absent)) {
    if (entry.path().extension() != ".graph") continue;
    const std::string name = entry.path().filename();
    graphs.emplace(name, parse(content_of(entry.path()), name));
  }
  return graphs;
}

TEST(TaskGraphShared, sound_graphs_are_read_and_written_in_two_formats) {
  const std::map<std::string, std::size_t> tasks{{"chain64.graph", 64},
                                                 {"independent128.graph", 128},
                                                 {"fan8.graph", 16},
                                                 {"three_products.graph", 3},
                                                 {"attention_h4.graph", 36},
                                                 {"attention_h2_split.graph", 18},
                                                 {"mixed_consumers.graph", 3},
                                                 {"pingpong6.graph", 6},
                                                 {"in_place_and_reader.graph", 3},
                                                 {"in_place_after_reader.graph", 3},
                                                 {"cholesky_t4.graph", 30},
                                                 {"layered60.graph", 60}};
  const auto graphs = graphs_of(shared_graphs);
  if (graphs.empty()) GTEST_SKIP() << "the shared graphs are not here";
  EXPECT_EQ(graphs.size(), tasks.size());
  for (const auto& [name, graph] : graphs) {
    ASSERT_TRUE(graph) << graph.error().message();
    EXPECT_EQ(graph->tasks.size(), tasks.at(name)) << name;
    EXPECT_TRUE(graph->warnings.empty()) << name;
    EXPECT_EQ(*write_text(*graph), content_of(shared_graphs / name)) << name;
    const auto json = parse(*write_json(*graph), name);
    ASSERT_TRUE(json) << json.error().message();
    EXPECT_TRUE(same(*json, *graph)) << name;
  }
}

TEST(TaskGraphShared, hostile_graphs_are_read_or_refused_with_their_reason) {
  // Of the others the specifications say what is wrong: they are read here.
  const std::map<std::string, std::string> refused{
      {"01-empty.graph", ":1: found the end of the file"},
      {"03-no-second-separator.graph", ":3: found the end of the file"},
      {"08-two-tasks-one-id.graph", ":2: found a second task 0"},
      {"12-edge-from-nowhere.graph", ":3: found an edge from task 7"},
      {"13-edge-to-nowhere.graph", ":3: found an edge to task 7"},
      {"14-cycle.graph", ":5: found the cycle 0 -> 1 -> 0"},
      {"15-own-successor.graph", ":3: found an edge from task 0 to itself"},
      {"16-two-producers-one-argument.graph", ":6: found a second edge to argument 0 of task 2"},
      {"20-code-in-symbols.graph", ":1: found \"len("},
      {"21-id-not-a-number.graph", ":1: found \"a\""},
      {"25-spec-path-climbs.graph", ":1: found the specification \"../specs/bump.json\""}};
  const auto graphs = graphs_of(shared_graphs / "hostile");
  if (graphs.empty()) GTEST_SKIP() << "the shared graphs are not here";
  EXPECT_EQ(graphs.size(), 26u);
  for (const auto& [name, graph] : graphs) {
    const auto reason = refused.find(name);
    if (reason == refused.end()) {
      EXPECT_TRUE(graph) << graph.error().message();
      continue;
    }
    ASSERT_FALSE(graph) << name;
    EXPECT_EQ(graph.error().code(), Errc::bad_input);
    EXPECT_TRUE(graph.error().message().starts_with(name + reason->second))
        << graph.error().message();
    EXPECT_NE(graph.error().message().find(", expected "), std::string::npos);
  }
  EXPECT_EQ(graphs.at("05-crlf.graph")->tasks[0].partition, 10);
  EXPECT_EQ(graphs.at("07-blank-in-symbols.graph")->tasks[0].symbols.size(), 1u);
  EXPECT_EQ(graphs.at("10-no-partition.graph")->tasks[0].partition, std::nullopt);
  EXPECT_EQ(graphs.at("11-partition-5.graph")->tasks[0].partition, 5);
  EXPECT_EQ(graphs.at("22-negative-id.graph")->tasks[0].id, -1);
  EXPECT_EQ(graphs.at("23-arrow-with-blanks.graph")->edges.size(), 1u);
}

}  // namespace
}  // namespace kiln::task_graph
