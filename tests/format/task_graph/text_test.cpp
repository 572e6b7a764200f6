#include <gtest/gtest.h>

#include "kiln/formats/task_graph.hpp"

// The text of two sections: what is read, and the one line that says what is not.
namespace kiln::task_graph {
namespace {

File text_file(std::string_view text) {
  auto file = parse(text, "g.graph");
  EXPECT_TRUE(file) << text << "\n" << file.error().message();
  return file ? *std::move(file) : File{};
}

std::string text_refusal(std::string_view text) {
  const auto file = parse(text, "g.graph");
  if (file) return "accepted";
  EXPECT_EQ(file.error().code(), Errc::bad_input);
  return file.error().message();
}

/// What is said of a file of one task with these symbols.
std::string symbols_refusal(std::string_view symbols) {
  return text_refusal("0 a.json " + std::string(symbols) + "\n---\n---\n");
}

constexpr std::string_view three =
    "0 blend.json {\"tall\":4096,\"partition\":10}\n"
    "1 peak.json {\"tall\":4096,\"partition\":0}\n"
    "2 gap.json {\"tall\":4096}\n"
    "---\n"
    "0 2->1 0\n"
    "0 2->2 1\n"
    "---\n";

TEST(TaskGraphText, tasks_and_edges_are_read) {
  const File file = text_file(three);
  EXPECT_EQ(file.format, Format::text);
  EXPECT_EQ(file.name, "g.graph");
  ASSERT_EQ(file.tasks.size(), 3u);
  EXPECT_EQ(file.tasks[0].id, 0);
  EXPECT_EQ(file.tasks[0].spec, "blend.json");
  EXPECT_EQ(file.tasks[0].inline_spec, "");
  ASSERT_EQ(file.tasks[0].symbols.size(), 1u);
  EXPECT_EQ(file.tasks[0].symbols[0], Symbol("tall", 4096));
  EXPECT_EQ(file.tasks[0].partition, 10);
  EXPECT_EQ(file.tasks[1].partition, 0);
  EXPECT_EQ(file.tasks[2].partition, std::nullopt);
  EXPECT_EQ(file.tasks[2].line, 3u);
  EXPECT_FALSE(file.tasks[0].cluster);
  ASSERT_EQ(file.edges.size(), 2u);
  EXPECT_EQ(file.edges[1].from, 0);
  EXPECT_EQ(file.edges[1].from_position, 2u);
  EXPECT_EQ(file.edges[1].to, 2);
  EXPECT_EQ(file.edges[1].to_position, 1u);
  EXPECT_EQ(file.edges[1].line, 6u);
  EXPECT_FALSE(file.edges[1].is_order());
  EXPECT_TRUE(file.results.empty());
  EXPECT_TRUE(file.warnings.empty());
}

TEST(TaskGraphText, is_written_as_it_was_read) {
  const auto written = write_text(text_file(three));
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(*written, three);
}

TEST(TaskGraphText, blanks_comments_and_line_ends_change_nothing) {
  const std::string_view odd =
      "\xEF\xBB\xBF# a graph\r\n\r\n"
      "  0\tblend.json  { \"tall\" : 4096 , 'partition':10, }  # the source\r\n"
      "\n1 peak.json {\"tall\":4096,\"partition\":0}\r\n"
      "2 gap.json {u'tall':4096L}\r\n"
      " --- # edges\n"
      "0 2 -> 1 0\n"
      "\t0 2->2 1# no blank before it\n"
      "\n---";
  EXPECT_TRUE(same(text_file(odd), text_file(three)));
  EXPECT_EQ(text_file(odd).tasks[1].line, 5u);
  EXPECT_EQ(text_file(odd).edges[1].line, 9u);
}

TEST(TaskGraphText, values_are_those_that_python_would_give) {
  const File file = text_file(
      "0 a.json {'i':-7,'big':-9223372036854775808,'r':1e-8,'h':-.5,'p':+3,'s':\"it's\","
      "\"e\":'a\\x20b\\n','t':True,'f':False,'n':0,'#':'# no comment'}\n---\n---\n");
  const std::vector<Symbol> expected{{"i", -7},
                                     {"big", expr::Value(INT64_MIN)},
                                     {"r", 1e-8},
                                     {"h", -.5},
                                     {"p", 3},
                                     {"s", "it's"},
                                     {"e", "a b\n"},
                                     {"t", true},
                                     {"f", false},
                                     {"n", 0},
                                     {"#", "# no comment"}};
  EXPECT_EQ(file.tasks[0].symbols, expected);
  EXPECT_STREQ(file.tasks[0].symbols[7].second.type_name(), "bool");
  EXPECT_STREQ(file.tasks[0].symbols[2].second.type_name(), "float");
}

TEST(TaskGraphText, ids_need_no_order_and_may_be_negative) {
  const File file = text_file(
      "-3 a.json {}\n9000000000 a.json {}\n0 a.json {}\n---\n9000000000 1->-3 0\n-3 0->0 0\n---\n");
  EXPECT_EQ(file.tasks[0].id, -3);
  EXPECT_EQ(file.tasks[1].id, 9'000'000'000);
  EXPECT_EQ(file.edges[0].to, -3);
}

TEST(TaskGraphText, a_partition_may_be_written_as_a_string_or_a_float) {
  for (const auto* written : {"10", "\"10\"", "10.0"}) {
    const File file =
        text_file("0 a.json {\"partition\":" + std::string(written) + "}\n---\n---\n");
    EXPECT_EQ(file.tasks[0].partition, 10) << written;
  }
  for (const auto* written : {"11", "-1", "2.5", "\"\"", "\"x\"", "True", "\"010x\""})
    EXPECT_NE(symbols_refusal("{\"partition\":" + std::string(written) + "}")
                  .find("expected a partition from 0 (CPU) to 10 (GPU)"),
              std::string::npos)
        << written;
  EXPECT_EQ(symbols_refusal("{\"partition\":11}"),
            "g.graph:1: found the partition 11, expected a partition from 0 (CPU) to 10 (GPU)");
}

TEST(TaskGraphText, a_symbol_given_twice_must_have_one_value) {
  const File file = text_file("0 a.json {\"c\":1,\"x\":2,\"c\":1}\n---\n---\n");
  EXPECT_EQ(file.tasks[0].symbols.size(), 2u);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_EQ(file.warnings[0],
            "g.graph:1: found the symbol \"c\" again with the same value, expected it once");
  EXPECT_EQ(symbols_refusal("{\"c\":1,\"c\":2}"),
            "g.graph:1: found the symbol \"c\" with 1 and with 2, expected each symbol once");
  EXPECT_EQ(symbols_refusal("{\"partition\":1,\"partition\":2}"),
            "g.graph:1: found the symbol \"partition\" with 1 and with 2, expected each symbol "
            "once");
}

TEST(TaskGraphText, many_symbols_are_compared_too) {
  std::string symbols = "{";
  for (int i = 0; i < 5000; ++i)
    symbols += "'s" + std::to_string(i) + "':" + std::to_string(i) + ",";
  EXPECT_EQ(text_file("0 a.json " + symbols + "}\n---\n---").tasks[0].symbols.size(), 5000u);
  EXPECT_EQ(
      symbols_refusal(symbols + "'s4999':1}"),
      "g.graph:1: found the symbol \"s4999\" with 4999 and with 1, expected each symbol once");
}

struct TextCase {
  const char* text;
  const char* message;
};

TEST(TaskGraphText, what_is_wrong_is_said_in_one_line) {
  constexpr const char* code =
      ", expected a number, a string, True or False: symbols are data, "
      "nothing is evaluated";
  const TextCase cases[] = {
      {"", "g.graph:1: found the end of the file, expected a task's id, or the separator ---"},
      {"0 a.json {}\n---\n",
       "g.graph:3: found the end of the file, expected an edge, as 0 2->1 0, or the second "
       "separator ---"},
      {"----\n---\n", "g.graph:1: found \"-\", expected the end of the line"},
      {"---\n---\nmore\n",
       "g.graph:3: found \"more\", expected nothing behind the second separator"},
      {"a b.json {}\n---\n---\n",
       "g.graph:1: found \"a\", expected a task's id, an integer, or the separator ---"},
      {"0x1 b.json {}\n---\n---\n",
       "g.graph:1: found \"0x1\", expected a task's id, an integer, or the separator ---"},
      {"9223372036854775808 b.json {}\n---\n---\n",
       "g.graph:1: found \"9223372036854775808\", expected an integer of 64 bits"},
      {"0\n---\n---\n",
       "g.graph:1: found the end of the line, expected a specification's file name"},
      {"0 b.json\n---\n---\n",
       "g.graph:1: found the end of the line, expected the task's symbols, as {\"n\": 64}"},
      {"0 b.json {} 5\n---\n---\n", "g.graph:1: found \"5\", expected the end of the line"},
      {"0 b.json {}\n---\n0 1-1 0\n---\n",
       "g.graph:3: found \"1-1\", expected an argument's position, 0 or more"},
      {"0 b.json {}\n---\n0 -1->1 0\n---\n",
       "g.graph:3: found \"-1->1\", expected an argument's position, 0 or more"},
      {"0 b.json {}\n---\n0 4294967296->1 0\n---\n",
       "g.graph:3: found \"4294967296->1\", expected a position of 32 bits"},
      {"0 b.json {}\n---\n0->1\n---\n",
       "g.graph:3: found \"->1\", expected an argument's position, 0 or more"},
      {"0 b.json {}\n---\n0 1 1 0\n---\n", "g.graph:3: found \"1\", expected the arrow ->"},
      {"0 b.json {}\n---\n0 1->1\n---\n",
       "g.graph:3: found the end of the line, expected an argument's position, 0 or more"},
      {"0 b.json {}\n---\n0 1->1 0 7\n---\n",
       "g.graph:3: found \"7\", expected the end of the line"},
      {"0 b.json {}\n---\n1 b.json {}\n---\n",
       "g.graph:3: found \"b.json\", expected an argument's position, 0 or more"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(text_refusal(text), message) << text;
  EXPECT_EQ(symbols_refusal("{\"n\":len('x')}"),
            "g.graph:1: found \"len('x')}\"" + std::string(code));
  for (const auto* value : {"", "n", "None", "[1]", "{}", "(1,)", "1_000", "0x10", "1e", "2-1",
                            "--1", "nan", "inf", "1j", "b'x'", "lambda:0", "__import__('os')"})
    EXPECT_TRUE(symbols_refusal("{\"n\":" + std::string(value) + "}").ends_with(code)) << value;
}

TEST(TaskGraphText, expressions_are_no_values) {
  EXPECT_EQ(symbols_refusal("{\"n\":2*3}"),
            "g.graph:1: found \"*3}\", expected a comma or }; expressions are not evaluated");
  EXPECT_EQ(symbols_refusal("{\"n\":'a' 'b'}"),
            "g.graph:1: found \"'b'}\", expected a comma or }; expressions are not evaluated");
  EXPECT_EQ(symbols_refusal("{\"n\" 2}"),
            "g.graph:1: found \"2}\", expected a colon behind the symbol's name");
  EXPECT_EQ(symbols_refusal("{n:2}"),
            "g.graph:1: found \"n:2}\", expected a symbol's name in quotes, or }");
  EXPECT_EQ(symbols_refusal("{'':2}"), "g.graph:1: found a symbol without a name, expected a name");
  EXPECT_EQ(symbols_refusal("{'a':2,,}"),
            "g.graph:1: found \",}\", expected a symbol's name in quotes, or }");
  EXPECT_EQ(symbols_refusal("{'a':2"),
            "g.graph:1: found the end of the line, expected a comma or }; expressions are not "
            "evaluated");
  EXPECT_EQ(symbols_refusal("{'a':'x}"),
            "g.graph:1: found \"'x}\", expected a string of UTF-8 that ends in its line");
  EXPECT_EQ(symbols_refusal("{'a':'\xff'}"),
            "g.graph:1: found \"'\\xff'}\", expected a string of UTF-8 that ends in its "
            "line");
}

TEST(TaskGraphText, numbers_that_would_be_others_are_refused) {
  for (const auto* value : {"9223372036854775808", "-9223372036854775809",
                            "99999999999999999999999999", "18446744073709551616"})
    EXPECT_EQ(symbols_refusal("{\"n\":" + std::string(value) + "}"),
              "g.graph:1: found \"" + std::string(value) + "}\", expected an integer of 64 bits");
  EXPECT_EQ(symbols_refusal("{\"n\":010}"),
            "g.graph:1: found \"010}\", expected an integer without leading zeros");
  EXPECT_EQ(symbols_refusal("{\"n\":1e999}"),
            "g.graph:1: found \"1e999}\", expected a number that a double holds");
}

TEST(TaskGraphText, a_message_shows_no_more_than_a_line) {
  const std::string message = text_refusal(std::string(100'000, 'x') + "\n---\n---\n");
  EXPECT_LT(message.size(), 200u);
  EXPECT_EQ(text_refusal("\x1b[2J a\n").find('\x1b'), std::string::npos);
  EXPECT_NE(text_refusal("\xff a\n").find("found \"\\xff\""), std::string::npos);
}

TEST(TaskGraphText, a_name_with_a_line_feed_stays_on_one_line) {
  const auto file = parse("x", "a\nb");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace kiln::task_graph
