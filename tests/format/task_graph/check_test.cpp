#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kiln/formats/task_graph.hpp"

// What makes a graph sound, read from a file or made in memory.
namespace kiln::task_graph {
namespace {

std::string refusal_of(const Expected<void>& result) {
  return result ? "accepted" : result.error().message();
}

/// A text of tasks 0 to count - 1 and these edges.
std::string graph_text(int count, std::string_view edges) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i) + " a.json {}\n";
  return text + "---\n" + std::string(edges) + "---\n";
}

std::string graph_refusal(int count, std::string_view edges) {
  const auto file = parse(graph_text(count, edges), "g");
  return file ? "accepted" : file.error().message();
}

File of_task(Task task) {
  File file{.name = "made"};
  file.tasks.push_back(std::move(task));
  return file;
}

TEST(TaskGraphCheck, each_id_is_there_once) {
  const auto file = parse("5 a.json {}\n4 a.json {}\n5 a.json {}\n---\n---\n", "g");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message(),
            "g:3: found a second task 5 (the first is in line 1), expected each id once");
}

TEST(TaskGraphCheck, edges_lead_from_and_to_tasks_of_the_file) {
  EXPECT_EQ(graph_refusal(2, "7 0->1 0\n"),
            "g:4: found an edge from task 7, expected one of the file's tasks");
  EXPECT_EQ(graph_refusal(2, "0 0->-1 0\n"),
            "g:4: found an edge to task -1, expected one of the file's tasks");
  EXPECT_EQ(graph_refusal(2, "1 0->1 1\n"),
            "g:4: found an edge from task 1 to itself, expected one to another task");
}

TEST(TaskGraphCheck, an_argument_has_one_producer) {
  EXPECT_EQ(graph_refusal(3, "0 0->2 0\n0 0->2 1\n1 0->2 0\n"),
            "g:7: found a second edge to argument 0 of task 2 (the first is in line 5), expected "
            "one");
  EXPECT_EQ(graph_refusal(3, "0 0->2 0\n0 0->2 1\n0 0->1 0\n"), "accepted");
}

TEST(TaskGraphCheck, a_cycle_is_named_in_order) {
  EXPECT_EQ(graph_refusal(2, "0 0->1 0\n1 0->0 0\n"),
            "g:5: found the cycle 0 -> 1 -> 0, expected tasks that do not wait for themselves");
  // What leads to the cycle and what it leads to is not part of it.
  EXPECT_EQ(graph_refusal(6, "0 0->2 0\n2 0->4 0\n4 0->3 0\n3 0->2 1\n3 1->5 0\n0 0->1 0\n"),
            "g:11: found the cycle 2 -> 4 -> 3 -> 2, expected tasks that do not wait for "
            "themselves");
}

TEST(TaskGraphCheck, a_long_cycle_is_cut_in_its_middle) {
  constexpr int count = 20'000;
  std::string edges;
  for (int i = 0; i < count; ++i)
    edges += std::to_string(i) + " 0->" + std::to_string((i + 1) % count) + " 0\n";
  const std::string message = graph_refusal(count, edges);
  EXPECT_NE(message.find("found the cycle 0 -> 1 -> 2 "), std::string::npos) << message;
  EXPECT_NE(message.find(" -> … -> "), std::string::npos) << message;
  EXPECT_NE(message.find(" 19999 -> 0 of 20000 tasks"), std::string::npos) << message;
  EXPECT_LT(message.size(), 1500u);
}

TEST(TaskGraphCheck, a_chain_as_long_as_the_file_is_sound) {
  std::string edges;
  for (int i = 50'000; i-- > 1;)
    edges += std::to_string(i) + " 0->" + std::to_string(i - 1) + " 0\n";
  EXPECT_EQ(graph_refusal(50'000, edges), "accepted");
}

TEST(TaskGraphCheck, specifications_are_files_of_no_folder) {
  for (const auto* name : {"../a.json", "a/b.json", "/a.json", "a\\b.json", "..json", ".a.json",
                           "a", "a.jso", ".json", "a..json"}) {
    EXPECT_NE(refusal_of(check(of_task({.spec = name}))), "accepted") << name;
  }
  EXPECT_EQ(refusal_of(check(of_task({.spec = "../a.json"}))),
            "made: found the specification \"../a.json\", expected a file name that ends in .json, "
            "without folders");
  for (const auto* name : {"a.json", "GEMM11 (copy).json", "\xC3\xA9.json", "a.b.json"})
    EXPECT_EQ(refusal_of(check(of_task({.spec = name}))), "accepted") << name;
  EXPECT_NE(refusal_of(check(of_task({.spec = std::string("a\0b.json", 8)}))), "accepted");
}

TEST(TaskGraphCheck, what_memory_can_hold_and_no_file_is_refused) {
  const auto of_symbol = [](std::string name, expr::Value value) {
    return refusal_of(check(of_task({.spec = "a.json", .symbols = {{name, value}}})));
  };
  EXPECT_EQ(of_symbol("n", expr::List{1}),
            "made: found a list as symbol \"n\" of task 0, expected a number, a string, True or "
            "False");
  EXPECT_NE(of_symbol("n", std::numeric_limits<double>::infinity()), "accepted");
  EXPECT_NE(of_symbol("n", std::nan("")), "accepted");
  EXPECT_NE(of_symbol("n", "\xff"), "accepted");
  EXPECT_NE(of_symbol("\xff", 1), "accepted");
  EXPECT_NE(of_symbol("", 1), "accepted");
  EXPECT_NE(of_symbol("partition", 1), "accepted");
  EXPECT_EQ(of_symbol("n", 1), "accepted");
  EXPECT_EQ(refusal_of(check(of_task({.spec = "a.json", .symbols = {{"n", 1}, {"n", 1}}}))),
            "made: found a second symbol \"n\" of task 0, expected each symbol once");
  EXPECT_EQ(refusal_of(check(of_task({.spec = "a.json", .partition = 11}))),
            "made: found the partition 11 of task 0, expected a partition from 0 (CPU) to 10 "
            "(GPU)");
}

TEST(TaskGraphCheck, a_task_has_one_specification) {
  EXPECT_EQ(refusal_of(check(of_task({.id = 4}))),
            "made: found no specification of task 4, expected a file name or the specification "
            "itself");
  EXPECT_NE(refusal_of(check(of_task({.spec = "a.json", .inline_spec = "{}"}))), "accepted");
  EXPECT_EQ(refusal_of(check(of_task({.inline_spec = "{}"}))), "accepted");
  EXPECT_EQ(refusal_of(check(of_task({.inline_spec = "[]"}))),
            "made: found a list of 0 in the specification of task 0, expected a JSON object");
  EXPECT_NE(refusal_of(check(of_task({.inline_spec = "{"}))), "accepted");
  EXPECT_NE(refusal_of(check(of_task({.inline_spec = "{\"task\": 1}"}))), "accepted");
  EXPECT_EQ(refusal_of(check(of_task({.inline_spec = "{\"ioBuffers\": [{\"from\": 1}]}"}))),
            "made: found \"from\" in the specification of task 0, expected it in the graph alone");
}

TEST(TaskGraphCheck, a_specification_fits_into_every_format) {
  const auto nested = [](std::size_t levels) {
    return "{\"x\": " + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
  };
  const File file = of_task({.inline_spec = nested(60)});
  for (const Format format : {Format::list, Format::json}) {
    const auto read = parse(*write(file, format), "made");
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_TRUE(same(*read, file));
  }
  EXPECT_EQ(refusal_of(check(of_task({.inline_spec = nested(61)}))),
            "made: found values nested deeper than 60 in the specification of task 0, expected a "
            "few levels");
  EXPECT_FALSE(
      parse("[{\"id\": 0, \"x\": " + std::string(60, '[') + std::string(60, ']') + "}]", "g.json"));
}

TEST(TaskGraphCheck, an_edge_has_both_positions_or_none) {
  File file = of_task({.id = 0, .spec = "a.json"});
  file.tasks.push_back({.id = 1, .spec = "a.json"});
  file.edges.push_back({.from = 0, .to = 1});
  EXPECT_EQ(refusal_of(check(file)), "accepted");
  file.edges[0].to_position = 3;
  EXPECT_EQ(refusal_of(check(file)),
            "made: found an edge 0 -> 1 with one position, expected two, or none for an order "
            "alone");
}

TEST(TaskGraphCheck, results_are_those_of_tasks) {
  File file = of_task({.id = 0, .spec = "a.json"});
  file.results = {{0, 1}};
  EXPECT_EQ(refusal_of(check(file)), "accepted");
  file.results = {{1, 1}};
  EXPECT_EQ(refusal_of(check(file)),
            "made: found a result of task 1, expected one of the file's tasks");
}

TEST(TaskGraphCheck, orders_make_cycles_too) {
  const auto file = parse(R"({"kiln-graph": 1,
      "tasks": [{"id": 0, "spec": "a.json"}, {"id": 1, "spec": "a.json"}],
      "edges": [{"from": [0, 0], "to": [1, 0]}],
      "orders": [{"from": 1, "to": 0}]})",
                          "g.json");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message(),
            "g.json:4: found the cycle 0 -> 1 -> 0, expected tasks that do not wait for "
            "themselves");
}

}  // namespace
}  // namespace kiln::task_graph
