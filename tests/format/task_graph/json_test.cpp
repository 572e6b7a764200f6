#include <gtest/gtest.h>

#include "kiln/formats/task_graph.hpp"

// The JSON list of kernels and Kiln's own JSON.
namespace kiln::task_graph {
namespace {

File json_file(std::string_view text) {
  auto file = parse(text, "g.json");
  EXPECT_TRUE(file) << text << "\n" << file.error().message();
  return file ? *std::move(file) : File{};
}

std::string json_refusal(std::string_view text) {
  const auto file = parse(text, "g.json");
  return file ? "accepted" : file.error().message();
}

std::string written_or_error(const Expected<std::string>& text) {
  return text ? *text : text.error().message();
}

constexpr std::string_view list_of_two = R"([
  {"id": "0", "name": "blend", "src": "blend.cl", "workDimension": 1, "globalWorkSize": "[64]",
   "inputBuffers": [{"pos": 0, "type": "float", "size": 64, "break": 0}],
   "outputBuffers": [{"pos": 1, "type": "float", "size": "64", "break": 0}],
   "ioBuffers": [], "symbolicVariables": {"tall": 64, "partition": 10}, "partition": "10",
   "task": 0},
  {"name": "peak", "id": 1, "depends": [0, "2"], "partition": 0, "task": "1",
   "inputBuffers": [{"pos": 0, "type": "float", "size": 64, "break": 0,
                     "from": {"kernel": "0", "pos": 1}}],
   "ioBuffers": [{"from": {"kernel": 2, "pos": 3}, "pos": 1}]},
  {"id": 2, "name": "gap", "depends": [0, 0]}
])";

TEST(TaskGraphList, kernels_and_their_edges_are_read) {
  const File file = json_file(list_of_two);
  EXPECT_EQ(file.format, Format::list);
  ASSERT_EQ(file.tasks.size(), 3u);
  EXPECT_EQ(file.tasks[0].id, 0);
  EXPECT_EQ(file.tasks[0].spec, "");
  EXPECT_EQ(file.tasks[0].inline_spec,
            "{\"name\": \"blend\", \"src\": \"blend.cl\", \"workDimension\": 1, "
            "\"globalWorkSize\": \"[64]\", \"inputBuffers\": [{\"pos\": 0, \"type\": \"float\", "
            "\"size\": 64, \"break\": 0}], \"outputBuffers\": [{\"pos\": 1, \"type\": \"float\", "
            "\"size\": \"64\", \"break\": 0}], \"ioBuffers\": []}");
  EXPECT_EQ(file.tasks[0].symbols, (std::vector<Symbol>{{"tall", 64}}));
  EXPECT_EQ(file.tasks[0].partition, 10);
  EXPECT_EQ(file.tasks[0].cluster, 0);
  EXPECT_EQ(file.tasks[1].cluster, 1);
  EXPECT_EQ(file.tasks[1].line, 7u);
  EXPECT_EQ(file.tasks[1].inline_spec,
            "{\"name\": \"peak\", \"inputBuffers\": [{\"pos\": 0, \"type\": \"float\", \"size\": "
            "64, \"break\": 0}], \"ioBuffers\": [{\"pos\": 1}]}");
  EXPECT_EQ(file.tasks[2].partition, std::nullopt);
  ASSERT_EQ(file.edges.size(), 3u);
  EXPECT_EQ(file.edges[0].from_position, 1u);
  EXPECT_EQ(file.edges[0].to_position, 0u);
  EXPECT_EQ(file.edges[0].line, 9u);
  EXPECT_EQ(file.edges[1].from, 2);
  EXPECT_EQ(file.edges[1].to_position, 1u);
  EXPECT_TRUE(file.edges[2].is_order());  // given twice, and data from others are no orders
  EXPECT_EQ(file.edges[2].from, 0);
  EXPECT_EQ(file.edges[2].to, 2);
}

TEST(TaskGraphList, is_written_with_its_edges_at_the_buffers) {
  const File file = json_file(list_of_two);
  const auto written = write_list(file);
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_TRUE(same(json_file(*written), file)) << *written;
  EXPECT_NE(written->find("{\"pos\": 0, \"type\": \"float\", \"size\": 64, \"break\": 0, \"from\": "
                          "{\"kernel\": 0, \"pos\": 1}}"),
            std::string::npos)
      << *written;
  EXPECT_NE(written->find("\"symbolicVariables\": {\"tall\": 64}, \"partition\": 10, \"task\": 0}"),
            std::string::npos)
      << *written;
  EXPECT_NE(written->find("\"depends\": [0, 2]"), std::string::npos) << *written;
}

TEST(TaskGraphList, the_last_of_equal_attributes_counts) {
  const File file = json_file(
      R"([{"id": 7, "name": "a", "partition": 0, "id": 8, "partition": "10", "name": "b"}])");
  EXPECT_EQ(file.tasks[0].id, 8);
  EXPECT_EQ(file.tasks[0].partition, 10);
  EXPECT_EQ(file.tasks[0].inline_spec, "{\"name\": \"b\"}");
  EXPECT_EQ(file.warnings.size(), 3u);
}

TEST(TaskGraphList, two_partitions_are_told) {
  const File file =
      json_file(R"([{"id": 7, "symbolicVariables": {"partition": 0}, "partition": 10}])");
  EXPECT_EQ(file.tasks[0].partition, 10);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_EQ(file.warnings[0],
            "g.json:1: found the partition 10 and among the symbols 0, expected one: the first "
            "counts");
  EXPECT_EQ(json_file(R"([{"id": 7, "symbolicVariables": {"partition": 4}}])").tasks[0].partition,
            4);
}

TEST(TaskGraphList, an_empty_one_is_a_graph_of_no_tasks) {
  EXPECT_TRUE(json_file("[]").tasks.empty());
  EXPECT_EQ(written_or_error(write_list(File{})), "[]\n");
}

struct JsonCase {
  const char* text;
  const char* message;
};

TEST(TaskGraphList, what_is_wrong_is_said_in_one_line) {
  const JsonCase cases[] = {
      {"[1]", "g.json:1: found 1 at '[0]', expected a kernel, an object"},
      {"[{}]", "g.json:1: found no 'id' at '[0]', expected the task's number"},
      {"[\n{\"id\": 1.5}]", "g.json:2: found 1.5 at '[0].id', expected an integer"},
      {"[{\"id\": \"x\"}]", "g.json:1: found the string \"x\" at '[0].id', expected an integer"},
      {"[{\"id\": 9223372036854775808}]",
       "g.json:1: found 9223372036854775808 at '[0].id', expected an integer"},
      {"[{\"id\": 0, \"partition\": 11}]",
       "g.json:1: found 11 at '[0].partition', expected a partition from 0 (CPU) to 10 (GPU)"},
      {"[{\"id\": 0, \"depends\": 1}]",
       "g.json:1: found 1 at '[0].depends', expected a list of ids"},
      {"[{\"id\": 0, \"depends\": [3]}]",
       "g.json:1: found an edge from task 3, expected one of the file's tasks"},
      {"[{\"id\": 0, \"task\": \"a\"}]",
       "g.json:1: found the string \"a\" at '[0].task', expected an integer"},
      {"[{\"id\": 0, \"symbolicVariables\": {\"a\": [1]}}]",
       "g.json:1: found a list of 1 at '[0].symbolicVariables.a', expected a number, a string, "
       "true or false"},
      {"[{\"id\": 0, \"symbolicVariables\": {\"a\": 1, \"a\": 2}}]",
       "g.json:1: found 2 and before 1 at '[0].symbolicVariables.a', expected each symbol once"},
      {"[{\"id\": 0, \"symbolicVariables\": {\"a\": 99999999999999999999}}]",
       "g.json:1: found 99999999999999999999 at '[0].symbolicVariables.a', expected an integer of "
       "64 bits"},
      {"[{\"id\": 0, \"inputBuffers\": {}}]",
       "g.json:1: found an object at '[0].inputBuffers', expected a list of buffers"},
      {"[{\"id\": 0, \"ioBuffers\": [{\"from\": {\"kernel\": 1, \"pos\": 0}}]}]",
       "g.json:1: found no 'pos' at '[0].ioBuffers[0]', expected the buffer's position"},
      {"[{\"id\": 0, \"ioBuffers\": [{\"pos\": 0, \"from\": {\"kernel\": 1, \"pos\": -1}}]}]",
       "g.json:1: found -1 at '[0].ioBuffers[0].from.pos', expected an argument's position, 0 or "
       "more"},
      {"[{\"id\": 0, \"outputBuffers\": [{\"pos\": 0, \"from\": {}}]}]",
       "g.json:1: found an edge to an output buffer at '[0].outputBuffers[0].from', expected it at "
       "an input or io buffer"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(json_refusal(text), message) << text;
  EXPECT_TRUE(json_refusal("[{]").starts_with("g.json:1: ")) << json_refusal("[{]");
  EXPECT_TRUE(json_refusal("[1e999]").starts_with("g.json:1: ")) << json_refusal("[1e999]");
}

constexpr std::string_view own_of_three = R"({
  "kiln-graph": 1,
  "tasks": [
    {"id": 0, "spec": "blend.json", "symbols": {"tall": 4096, "r": 0.5, "b": true, "s": "x"}, "partition": 10},
    {"id": 1, "spec": {"name": "peak", "ioBuffers": [{"pos": 0}]}, "cluster": 3},
    {"id": 2, "spec": "gap.json", "partition": 5}
  ],
  "edges": [
    {"from": [0, 2], "to": [1, 0]},
    {"from": [0, 2], "to": [2, 1]}
  ],
  "orders": [
    {"from": 1, "to": 2}
  ],
  "results": [
    [1, 0],
    [0, 2]
  ]
}
)";

TEST(TaskGraphJson, all_that_a_graph_has_is_read_and_written) {
  const File file = json_file(own_of_three);
  EXPECT_EQ(file.format, Format::json);
  ASSERT_EQ(file.tasks.size(), 3u);
  EXPECT_EQ(file.tasks[0].symbols,
            (std::vector<Symbol>{{"tall", 4096}, {"r", 0.5}, {"b", true}, {"s", "x"}}));
  EXPECT_EQ(file.tasks[1].inline_spec, "{\"name\": \"peak\", \"ioBuffers\": [{\"pos\": 0}]}");
  EXPECT_EQ(file.tasks[1].cluster, 3);
  EXPECT_EQ(file.tasks[2].partition, 5);
  ASSERT_EQ(file.edges.size(), 3u);
  EXPECT_TRUE(file.edges[2].is_order());
  EXPECT_EQ(file.edges[1].line, 10u);
  EXPECT_EQ(file.results, (std::vector<End>{{1, 0}, {0, 2}}));
  EXPECT_EQ(written_or_error(write_json(file)), own_of_three);
}

TEST(TaskGraphJson, edges_with_data_come_first) {
  const File file = json_file(R"({"orders": [{"from": 0, "to": 1}],
      "edges": [{"to": [1, 0], "from": [0, 0]}], "$schema": "s", "description": [1],
      "tasks": [{"id": 0, "spec": "a.json"}, {"id": 1, "spec": "a.json"}], "kiln-graph": 1,
      "results": null})");
  ASSERT_EQ(file.edges.size(), 2u);
  EXPECT_FALSE(file.edges[0].is_order());
  EXPECT_TRUE(file.edges[1].is_order());
}

TEST(TaskGraphJson, what_is_wrong_is_said_in_one_line) {
  const JsonCase cases[] = {
      {"{}",
       "g.json:1: found no 'kiln-graph', expected \"kiln-graph\": 1: a graph of tasks, or a list"},
      {"{\"kiln-graph\": \"1\", \"tasks\": []}",
       "g.json:1: found the string \"1\" at 'kiln-graph', expected the format's version"},
      {"{\"kiln-graph\": 1}", "g.json:1: found no 'tasks', expected a list of tasks"},
      {"{\"kiln-graph\": 1, \"tasks\": [], \"edge\": []}",
       "g.json:1: found the unknown \"edge\", expected one of kiln-graph, tasks, edges, orders, "
       "results, description, $schema; did you mean 'edges'?"},
      {"{\"kiln-graph\": 1, \"tasks\": [], \"tasks\": []}",
       "g.json:1: found a second \"tasks\", expected one"},
      {"{\"kiln-graph\": 1, \"tasks\": [{\"id\": \"0\", \"spec\": \"a.json\"}]}",
       "g.json:1: found the string \"0\" at 'tasks[0].id', expected an integer"},
      {"{\"kiln-graph\": 1, \"tasks\": [{\"id\": 0}]}",
       "g.json:1: found no 'spec' at 'tasks[0]', expected its specification's file name, or the "
       "specification"},
      {"{\"kiln-graph\": 1, \"tasks\": [{\"id\": 0, \"spec\": \"\"}]}",
       "g.json:1: found the string \"\" at 'tasks[0].spec', expected a file name"},
      {"{\"kiln-graph\": 1, \"tasks\": [{\"id\": 0, \"spec\": \"../a.json\"}]}",
       "g.json:1: found the specification \"../a.json\", expected a file name that ends in .json, "
       "without folders"},
      {"{\"kiln-graph\": 1, \"tasks\": [{\"id\": 0, \"spec\": {\"depends\": []}}]}",
       "g.json:1: found \"depends\" in a specification at 'tasks[0].spec.depends', expected it in "
       "the graph alone"},
      {"{\"kiln-graph\": 1, \"tasks\": [{\"id\": 0, \"spec\": \"a.json\", \"symbols\": "
       "{\"partition\": 1}}]}",
       "g.json:1: found a symbol partition at 'tasks[0].symbols', expected the task's "
       "\"partition\" alone"},
      {"{\"kiln-graph\": 1, \"tasks\": [], \"edges\": [{\"from\": [0], \"to\": [1, 0]}]}",
       "g.json:1: found a list of 1 at 'edges[0].from', expected [id, position]"},
      {"{\"kiln-graph\": 1, \"tasks\": [], \"orders\": [{\"from\": 0, \"to\": 1}]}",
       "g.json:1: found an edge from task 0, expected one of the file's tasks"},
      {"{\"kiln-graph\": 1, \"tasks\": [], \"results\": [[0, 4294967296]]}",
       "g.json:1: found 4294967296 at 'results[0][1]', expected an argument's position, 0 or more"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(json_refusal(text), message) << text;
}

TEST(TaskGraphJson, a_later_version_is_unsupported) {
  const auto file = parse("{\"kiln-graph\": 2, \"jobs\": []}", "g.json");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code(), Errc::unsupported);
  EXPECT_EQ(file.error().message(), "g.json:1: found version 2 at 'kiln-graph', expected 1");
}

TEST(TaskGraphFormats, have_names) {
  for (const Format format : {Format::text, Format::list, Format::json})
    EXPECT_EQ(format_named(name_of(format)), format);
  EXPECT_EQ(format_named("xml"), std::nullopt);
}

TEST(TaskGraphFormats, what_one_cannot_hold_is_not_left_out) {
  const auto with = [](auto change) {
    File file{.name = "g"};
    file.tasks = {{.id = 0, .spec = "a.json"}, {.id = 1, .spec = "a.json"}};
    change(file);
    return file;
  };
  const File order = with([](File& f) { f.edges.push_back({.from = 0, .to = 1}); });
  EXPECT_EQ(written_or_error(write_text(order)),
            "g: found the order 0 -> 1, expected edges with data: the text has no orders");
  EXPECT_EQ(write_text(order).error().code(), Errc::unsupported);
  EXPECT_TRUE(write_json(order));
  EXPECT_EQ(written_or_error(write_text(with([](File& f) { f.tasks[1].cluster = 4; }))),
            "g: found task 1 in cluster 4, expected none: the text has no clusters");
  EXPECT_EQ(written_or_error(write_text(with([](File& f) {
              f.results = {{0, 1}};
            }))),
            "g: found 1 results, expected none: the text has no results");
  EXPECT_EQ(written_or_error(write_text(with([](File& f) { f.tasks[0].spec = "a b.json"; }))),
            "g: found the specification \"a b.json\", expected a name without blanks, which the "
            "text cannot hold");
  EXPECT_EQ(written_or_error(write_text(with([](File& f) {
              f.tasks[0].spec = "";
              f.tasks[0].inline_spec = "{}";
            }))),
            "g: found task 0 with its specification inline, expected a file name, which is all "
            "that the text holds");
  EXPECT_EQ(written_or_error(write_list(with([](File&) {}))),
            "g: found task 0 with \"a.json\", expected the specification itself, which a list has "
            "inline");
  EXPECT_EQ(written_or_error(write_list(with([](File& f) {
              f.results = {{0, 1}};
            }))),
            "g: found 1 results, expected none: a list has no results");
  EXPECT_EQ(written_or_error(write_list(with([](File& f) {
              for (Task& task : f.tasks) {
                task.spec = "";
                task.inline_spec = "{\"inputBuffers\": [{\"pos\": 0}]}";
              }
              f.edges.push_back({.from = 0, .to = 1, .from_position = 0, .to_position = 1});
            }))),
            "g: found the edge 0 -> 1 to argument 1, expected one to an input or io buffer of the "
            "specification");
}

TEST(TaskGraphFormats, what_is_not_sound_is_not_written) {
  File file{.name = "g"};
  file.tasks = {{.id = 0, .spec = "a.json"}, {.id = 0, .spec = "a.json"}};
  for (const Format format : {Format::text, Format::list, Format::json})
    EXPECT_EQ(written_or_error(write(file, format)),
              "g: found a second task 0, expected each id once");
}

}  // namespace
}  // namespace kiln::task_graph
