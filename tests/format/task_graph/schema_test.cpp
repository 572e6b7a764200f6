#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

#include "kiln/formats/task_graph.hpp"
#include "test_paths.hpp"

// The published JSON Schema says of Kiln's own format what the reader says, as far as a schema can.
namespace kiln::task_graph {
namespace {

using GraphAdapter = valijson::adapters::NlohmannJsonAdapter;

bool graph_schema_accepts(const nlohmann::json& document) {
  static const nlohmann::json text = nlohmann::json::parse(
      std::ifstream(std::string(KILN_SOURCE_DIR) + "/share/task-graph.schema.json"));
  static const auto schema = [] {
    auto result = std::make_unique<valijson::Schema>();
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(GraphAdapter(text), *result);
    return result;
  }();
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  return validator.validate(*schema, GraphAdapter(document), nullptr);
}

/// A graph of one task whose members are these.
std::string of_one_task(const std::string& members) {
  return "{\"kiln-graph\": 1, \"tasks\": [{" + members + "}]}";
}

TEST(TaskGraphSchema, accepts_what_is_written) {
  File file;
  file.tasks = {{.id = -1,
                 .spec = "a.json",
                 .symbols = {{"n", 1}, {"r", 0.5}, {"b", false}, {"s", "x"}},
                 .partition = 0},
                {.id = 1, .inline_spec = "{\"name\": \"k\"}", .cluster = 2}};
  file.edges = {{.from = -1, .to = 1, .from_position = 2, .to_position = 0}, {.from = -1, .to = 1}};
  file.results = {{1, 4}};
  const auto written = write_json(file);
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_TRUE(graph_schema_accepts(nlohmann::json::parse(*written))) << *written;
  EXPECT_TRUE(graph_schema_accepts(nlohmann::json::parse(*write_json(File{}))));
}

TEST(TaskGraphSchema, says_of_a_file_what_the_reader_says) {
  const std::pair<std::string, bool> cases[] = {
      {R"({"kiln-graph": 1, "tasks": [], "$schema": "x", "description": "y"})", true},
      {R"({"kiln-graph": 1, "tasks": [], "edges": null, "orders": null, "results": null})", true},
      {R"({"kiln-graph": 2, "tasks": []})", false},
      {R"({"kiln-graph": "1", "tasks": []})", false},
      {R"({"kiln-graph": 1})", false},
      {R"({"tasks": []})", false},
      {R"({"kiln-graph": 1, "tasks": {}})", false},
      {R"({"kiln-graph": 1, "tasks": [], "edge": []})", false},
      {R"({"kiln-graph": 1, "tasks": [1]})", false},
      {R"({"kiln-graph": 1, "tasks": [], "edges": [[0, 1]]})", false},
      {R"({"kiln-graph": 1, "tasks": [], "edges": [{"from": [0, 0]}]})", false},
      {R"({"kiln-graph": 1, "tasks": [], "edges": [{"from": [0, 0], "to": [1, -1]}]})", false},
      {R"({"kiln-graph": 1, "tasks": [], "edges": [{"from": [0, 0, 0], "to": [1, 1]}]})", false},
      {R"({"kiln-graph": 1, "tasks": [], "orders": [{"from": [0, 0], "to": [1, 1]}]})", false},
      {R"({"kiln-graph": 1, "tasks": [], "results": [5]})", false},
      {of_one_task(R"("id": 0, "spec": "a.json")"), true},
      {of_one_task(R"("id": "0", "spec": "a.json")"), false},
      {of_one_task(R"("id": 0.5, "spec": "a.json")"), false},
      {of_one_task(R"("id": 0)"), false},
      {of_one_task(R"("spec": "a.json")"), false},
      {of_one_task(R"("id": 0, "spec": "a/b.json")"), false},
      {of_one_task(R"("id": 0, "spec": ".json")"), false},
      {of_one_task(R"("id": 0, "spec": "a.txt")"), false},
      {of_one_task(R"("id": 0, "spec": null)"), false},
      {of_one_task(R"("id": 0, "spec": {"name": "k", "ioBuffers": [{"pos": 0}]})"), true},
      {of_one_task(R"("id": 0, "spec": {"depends": []})"), false},
      {of_one_task(R"("id": 0, "spec": {"ioBuffers": [{"from": {}}]})"), false},
      {of_one_task(R"("id": 0, "spec": "a.json", "symbols": null, "partition": null)"), true},
      {of_one_task(R"("id": 0, "spec": "a.json", "symbols": {"a": [1]})"), false},
      {of_one_task(R"("id": 0, "spec": "a.json", "symbols": {"a": null})"), false},
      {of_one_task(R"("id": 0, "spec": "a.json", "symbols": {"": 1})"), false},
      {of_one_task(R"("id": 0, "spec": "a.json", "symbols": {"partition": 1})"), false},
      {of_one_task(R"("id": 0, "spec": "a.json", "partition": "10")"), true},
      {of_one_task(R"("id": 0, "spec": "a.json", "partition": 10.0)"), true},
      {of_one_task(R"("id": 0, "spec": "a.json", "partition": 11)"), false},
      {of_one_task(R"("id": 0, "spec": "a.json", "partition": 2.5)"), false},
      {of_one_task(R"("id": 0, "spec": "a.json", "cluster": "a")"), false},
      {of_one_task(R"("id": 0, "spec": "a.json", "device": "gpu")"), false},
  };
  for (const auto& [text, accepted] : cases) {
    EXPECT_EQ(graph_schema_accepts(nlohmann::json::parse(text)), accepted) << text;
    EXPECT_EQ(parse(text, "g.json").has_value(), accepted) << text;
  }
}

/// The blocks of a page of the documents that are graphs, in order.
std::vector<std::string> graphs_of_page() {
  std::ifstream page(std::string(KILN_SOURCE_DIR) + "/docs/formats/task-graph.md");
  EXPECT_TRUE(page);
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  std::erase_if(blocks, [](const std::string& block) { return block.starts_with("text "); });
  return blocks;
}

TEST(TaskGraphDocuments, the_graphs_in_the_page_are_read) {
  const auto blocks = graphs_of_page();
  ASSERT_EQ(blocks.size(), 3u);
  const Format formats[] = {Format::text, Format::list, Format::json};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto file = parse(blocks[i], "page");
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_EQ(file->format, formats[i]);
    EXPECT_TRUE(file->warnings.empty());
    EXPECT_TRUE(write(*file, formats[i]));
  }
  EXPECT_TRUE(graph_schema_accepts(nlohmann::json::parse(blocks[2])));
  EXPECT_EQ(*write_text(*parse(blocks[0], "page")), blocks[0]);
}

}  // namespace
}  // namespace kiln::task_graph
