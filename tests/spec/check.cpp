#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/broken.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(Check, finds_nothing_in_a_right_file) {
  for (const auto& text : {small, full}) {
    std::vector<std::string> lines;
    for (const auto& message : check_text(text, "a.json")) lines.push_back(message.render());
    EXPECT_THAT(lines, IsEmpty());
  }
}

TEST(Check, names_file_line_attribute_and_what_was_expected) {
  for (const auto& each : broken) {
    // With dataset given, what hangs on it is no longer a mere warning.
    const auto errors = errors_of(check_text(each.text(), "a.json", SpecDialect::automatic,
                                             {{}, {{"dataset", expr::Value(1024)}}}));
    EXPECT_THAT(errors, ElementsAre(HasSubstr(each.message))) << each.by;
    for (const auto& error : errors) EXPECT_THAT(error, StartsWith("a.json:")) << each.by;
  }
}

TEST(Check, agrees_with_load_and_bind) {
  for (const auto& each : broken) {
    auto spec = parse_spec(each.text(), "a.json");
    const auto bound = spec ? bind(*spec) : Expected<BoundSpec>(tl::unexpected(spec.error()));
    ASSERT_FALSE(bound) << each.by;
    EXPECT_THAT(bound.error().message(), HasSubstr(each.message)) << each.by;
    EXPECT_EQ(exit_code(bound.error().code()), 2) << each.by;
    EXPECT_EQ(bound.error().message().find('\n'), std::string::npos) << each.by;
  }
}

TEST(Check, lists_all_problems_in_the_files_order) {
  auto text = with(small, "\"partition\": 10", "\"partition\": 12");
  text = with(text, "{\"pos\": 2, \"type\": \"int\"", "{\"pos\": -2, \"type\": \"inr\"");
  text = with(text, "\"[dataset]\"", "\"[dataset\"");
  const auto errors = errors_in(text);
  EXPECT_THAT(errors, ElementsAre(StartsWith("a.json:4: attribute 'partition'"),
                                  StartsWith("a.json:6: attribute 'globalWorkSize'"),
                                  StartsWith("a.json:9: attribute 'varArguments[0].pos'"),
                                  StartsWith("a.json:9: attribute 'varArguments[0].type'")));
}

TEST(Check, says_in_one_line_that_a_file_is_binary) {
  const std::string message = "a.json: found bytes that are no text (UTF-8), expected JSON";
  EXPECT_THAT(errors_in("\x93NUMPY {,}"), ElementsAre(message));
  EXPECT_THAT(errors_in(std::string("{\0,}", 4)), ElementsAre(message));
  EXPECT_THAT(errors_in("{\"name\": \"\xe4\""), ElementsAre(HasSubstr("broken JSON: ")));
}

TEST(Check, gives_broken_json_a_line_and_a_column) {
  const auto errors = errors_in("{\n  \"name\": ]\n}");
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_THAT(errors[0], StartsWith("a.json:2:11: broken JSON: unexpected ']'"));
  EXPECT_THAT(errors_in(""), ElementsAre(StartsWith("a.json:1:1: broken JSON: ")));
  EXPECT_THAT(errors_in("\"text\""),
              ElementsAre(HasSubstr("expected an object that describes one kernel")));
}

TEST(Check, suggests_known_names_for_unknown_ones) {
  const auto text = with(small, "\"src\"", "\"outputBufers\": [], \"colour\": 1, \"src\"");
  EXPECT_THAT(
      warnings_in(text),
      ElementsAre("a.json:3: warning: attribute 'outputBufers': found an unknown attribute, "
                  "which is ignored; did you mean 'outputBuffers'?",
                  "a.json:3: warning: attribute 'colour': found an unknown attribute, which is "
                  "ignored"));
  EXPECT_THAT(warnings_in(with(small, "{\"pos\": 2,", "{\"typ\": 1, \"pos\": 2,")),
              ElementsAre(HasSubstr("'varArguments[0].typ'")));
}

TEST(Check, warns_of_attributes_that_nobody_ever_read) {
  EXPECT_THAT(warnings_in(with(small, "\"src\"", "\"cpuArguments\": [], \"src\"")),
              ElementsAre(HasSubstr("attribute 'cpuArguments'")));
}

TEST(Check, tolerates_trailing_commas_with_a_warning) {
  const auto text =
      with(small, "\"break\": 1}],\n  \"varArguments\"", "\"break\": 1,},],\n  \"varArguments\"");
  EXPECT_THAT(errors_in(text), IsEmpty());
  EXPECT_THAT(warnings_in(text),
              ElementsAre(HasSubstr("a.json:8: warning: found a comma before '}'"),
                          HasSubstr("found a comma before ']'")));
}

TEST(Check, ignores_a_break_of_a_local_argument) {
  const auto text =
      with(small, "\"src\"",
           R"("localArguments": [{"pos": 3, "type": "int", "size": "4", "break": 0}], "src")");
  EXPECT_THAT(warnings_in(text), IsEmpty());
}

TEST(Check, warns_of_symbols_that_need_a_value) {
  const auto text = with(small, "\"[dataset]\"", "\"[n1]\"");
  EXPECT_THAT(errors_in(text), IsEmpty());
  EXPECT_THAT(
      warnings_in(text),
      ElementsAre("a.json:6: warning: attribute 'globalWorkSize': found the symbol 'n1' without a "
                  "value, expected --set n1=…"));
  EXPECT_THAT(check_text(text, "a.json", SpecDialect::automatic, set("n1", 64)), IsEmpty());
}

TEST(Check, takes_a_longer_form_of_a_known_name_for_a_symbol) {
  EXPECT_THAT(errors_in(with(small, "\"[dataset]\"", "\"[dataset2]\"")), IsEmpty());
  EXPECT_THAT(errors_in(with(small, "\"[dataset]\"", "\"[dataest]\"")), SizeIs(1));
}

TEST(Check, reports_sizes_that_only_fail_at_the_default_dataset_as_warnings) {
  const auto text = with(small, "\"[dataset]\"", "\"[dataset-2000]\"");
  EXPECT_THAT(errors_in(text), IsEmpty());
  EXPECT_THAT(warnings_in(text),
              ElementsAre(HasSubstr("\"[dataset-2000]\" = -976 with dataset = 1024")));
  EXPECT_THAT(errors_of(check_text(text, "a.json", SpecDialect::automatic, set("dataset", 1500))),
              SizeIs(1));
  EXPECT_THAT(check_text(text, "a.json", SpecDialect::automatic, set("dataset", 3000)), IsEmpty());
}

TEST(Check, reports_a_symbol_that_the_file_does_not_use) {
  const auto errors =
      errors_of(check_text(small, "a.json", SpecDialect::automatic, set("datset", 4)));
  EXPECT_THAT(
      errors,
      ElementsAre("a.json: found the symbol 'datset', which the file does not use, expected "
                  "dataset; did you mean 'dataset'?"));
}

TEST(Check, warns_of_a_kernel_without_arguments) {
  const std::string text =
      R"({"name": "a", "src": "a.cl", "workDimension": 1, "globalWorkSize": [4]})";
  EXPECT_THAT(warnings_in(text), ElementsAre(HasSubstr("lists no kernel arguments")));
}

TEST(Check, evaluates_strings_inside_lists_with_a_warning) {
  const auto text = with(small, "\"[dataset]\"", "[\"dataset\"]");
  EXPECT_THAT(errors_in(text), IsEmpty());
  EXPECT_THAT(warnings_in(text), ElementsAre(HasSubstr("only Kiln evaluates this")));
}

TEST(Check, survives_enormous_expressions) {
  for (const auto& body : {std::string(10'000'000, '('), std::string(10'000'000, '1'),
                           "1" + std::string(5'000'000, '+') + "1"}) {
    const auto errors = errors_in(with(small, "\"[dataset]\"", "\"" + body + "\""));
    ASSERT_THAT(errors, SizeIs(1));
    EXPECT_LT(errors[0].size(), 1000u);
  }
}

TEST(Check, bounds_the_number_of_messages) {
  std::string members;
  for (int i = 0; i < 20'000; ++i) members += "\"unknown" + std::to_string(i) + "\": 0, ";
  EXPECT_LE(check_text(with(small, "\"src\"", members + "\"src\""), "a.json").size(), 600u);
  std::string buffers;
  for (int i = 0; i < 20'000; ++i) buffers += "7, ";
  EXPECT_LE(
      check_text(with(small, "[{\"pos\": 0,", "[" + buffers + "{\"pos\": 0,"), "a.json").size(),
      600u);
}

TEST(Message, renders_with_and_without_its_parts) {
  Message message{Message::Severity::error, "a.json", 3, 0, "x", "found 1"};
  EXPECT_EQ(message.render(), "a.json:3: attribute 'x': found 1");
  message.column = 7;
  message.attribute.clear();
  message.severity = Message::Severity::warning;
  EXPECT_EQ(message.render(), "a.json:3:7: warning: found 1");
  EXPECT_EQ((Message{Message::Severity::error, "", 0, 0, "", "found 1"}).render(), "found 1");
}

}  // namespace
}  // namespace kiln::spec
