#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/texts.hpp"

namespace kiln::spec {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::pair<std::string, expr::Value> parsed(std::string_view text) {
  return value_or_throw(parse_symbol(text));
}

TEST(ParseSymbol, reads_numbers_expressions_lists_and_words) {
  EXPECT_EQ(parsed("dataset=4096"), std::pair(std::string("dataset"), expr::Value(4096)));
  EXPECT_EQ(parsed("n=2**20").second, expr::Value(1 << 20));
  EXPECT_EQ(parsed("x=-1.5").second, expr::Value(-1.5));
  EXPECT_EQ(parsed("l=[8, 4]").second, expr::Value(expr::List{8, 4}));
  EXPECT_EQ(parsed("REAL=float").second, expr::Value("float"));
  EXPECT_EQ(parsed("REAL='float'").second, expr::Value("float"));
}

TEST(ParseSymbol, refuses_what_is_no_assignment) {
  for (const auto* text :
       {"", "dataset", "=4", "2x=4", "a b=4", "n=", "n=4 4", "n=a.b", "n=1/0", "n=m+1"}) {
    const auto result = parse_symbol(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code(), Errc::bad_input);
  }
  EXPECT_THAT(parse_symbol("dataset").error().message(), HasSubstr("expected name=value"));
}

TEST(KnownSymbols, are_what_the_file_uses_or_declares) {
  EXPECT_THAT(known_symbols(spec_of(small)), ElementsAre("dataset"));
  EXPECT_THAT(known_symbols(spec_of(full)),
              ElementsAre("TS", "float", "localWorkSize", "m1", "n1", "wpt"));
  EXPECT_THAT(known_symbols(spec_of(small_at(64))), IsEmpty());
}

TEST(KnownSymbols, leave_out_what_others_set) {
  const auto text =
      with(small, "partition_round(dataset, size_percent)", "partition + offset_percent");
  EXPECT_THAT(known_symbols(spec_of(text)), ElementsAre("dataset"));
}

TEST(Symbols, beat_the_files_own_values) {
  EXPECT_THAT(bound_of(full).global, ElementsAre(128u, 64u));
  EXPECT_THAT(bound_of(full, set("m1", 32)).global, ElementsAre(64u, 32u)) << "n1 is 2*m1";
  EXPECT_THAT(bound_of(full, set("n1", 16)).global, ElementsAre(16u, 64u));
}

TEST(Symbols, that_must_be_known_are_told_apart_from_those_that_may_be) {
  const auto spec = spec_of(small);
  EXPECT_TRUE(bind(spec, {{}, {{"m1", expr::Value(4)}}}));
  EXPECT_EQ(bind(spec, {{}, {{"dataset", expr::Value(4)}}})->global[0], 4u);
  const auto unknown = bind(spec, set("m1", 4));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message(),
            "a.json: found the symbol 'm1', which the file does not use, expected dataset");
  EXPECT_THAT(bind(spec_of(small_at(64)), set("dataset", 4)).error().message(),
              HasSubstr("expected no symbols"));
}

TEST(Symbols, that_are_set_beat_those_that_are_set_if_known) {
  const Symbols both = {{{"dataset", expr::Value(8)}}, {{"dataset", expr::Value(4)}}};
  EXPECT_EQ(bind(spec_of(small), both)->global[0], 8u);
}

TEST(Symbols, cannot_set_the_partition) {
  const auto spec = spec_of(with(small, "partition_round(dataset, size_percent)", "partition"));
  EXPECT_THAT(bind(spec, set("partition", 4)).error().message(), HasSubstr("--partition sets it"));
}

TEST(SymbolicVariables, build_on_each_other_in_any_order) {
  const auto text =
      with(with(small, "\"src\"",
                R"~("symbolicVariables": {"a": "b+1", "b": "c*2", "c": "dataset"}, "src")~"),
           "\"[dataset]\"", "\"[a]\"");
  EXPECT_THAT(bound_of(text, set("dataset", 10)).global, ElementsAre(21u));
  EXPECT_THAT(bound_of(text, set("c", 1)).global, ElementsAre(3u));
}

TEST(SymbolicVariables, may_give_dataset_another_default) {
  const auto text =
      with(small, "\"src\"", R"~("symbolicVariables": {"b": "dataset", "dataset": 77}, "src")~");
  EXPECT_THAT(bound_of(text).global, ElementsAre(77u));
  EXPECT_EQ(bound_of(text).symbols.at("b"), expr::Value(77));
  EXPECT_THAT(bound_of(text, set("dataset", 5)).global, ElementsAre(5u));
}

TEST(SymbolicVariables, that_only_name_themselves_have_no_value) {
  const auto text = with(with(small, "\"src\"", R"~("symbolicVariables": {"m1": "m1"}, "src")~"),
                         "\"[dataset]\"", "\"[m1]\"");
  EXPECT_THAT(bind(spec_of(text)).error().message(), HasSubstr("expected --set m1=…"));
  EXPECT_THAT(bound_of(text, set("m1", 6)).global, ElementsAre(6u));
}

TEST(SymbolicVariables, in_a_circle_have_no_value) {
  const auto text =
      with(with(small, "\"src\"", R"~("symbolicVariables": {"a": "b", "b": "a"}, "src")~"),
           "\"[dataset]\"", "\"[a]\"");
  EXPECT_THAT(bind(spec_of(text)).error().message(), HasSubstr("'a' without a value"));
  EXPECT_THAT(bound_of(text, set("b", 6)).global, ElementsAre(6u));
}

using Macros = std::vector<std::pair<std::string, std::string>>;

TEST(MacroValues, are_texts_with_the_symbols_values_in_them) {
  EXPECT_EQ(bound_of(full).macros,
            (Macros{{"TS", "16"}, {"WIDTH", "4"}, {"REAL", "float"}, {"AREA", "(64 * 128)"}}));
  EXPECT_EQ(bound_of(full, set("float", "double")).macros[2].second, "double");
}

TEST(MacroValues, replace_whole_identifiers_only) {
  const auto macros = [](const std::string& value) {
    const auto text =
        with(small, "\"src\"", "\"macros_values\": {\"M\": \"" + value + "\"}, \"src\"");
    return bound_of(text,
                    {{}, {{"TS", expr::Value(-2)}, {"x", expr::Value(9)}, {"f", expr::Value(8)}}})
        .macros[0]
        .second;
  };
  EXPECT_EQ(macros("TS"), "-2");
  EXPECT_EQ(macros("a-TS"), "a-(-2)");
  EXPECT_EQ(macros("TSX + XTS"), "TSX + XTS");
  EXPECT_EQ(macros("0x10 + x + 1.0f + f"), "0x10 + 9 + 1.0f + 8");
  EXPECT_EQ(macros("'x' + x"), "'x' + 9");
  EXPECT_EQ(macros("\\\"x\\\\\\\"x\\\" x"), "\"x\\\"x\" 9");
  EXPECT_EQ(macros("'x"), "'x");
  EXPECT_EQ(macros(""), "");
  EXPECT_EQ(macros("partition"), "10");
}

TEST(MacroValues, need_the_symbols_that_sizes_need) {
  const auto text = with(with(small, "\"src\"", R"~("macros_values": {"TILE": "TS"}, "src")~"),
                         "\"[dataset]\"", "\"[TS]\"");
  EXPECT_FALSE(bind(spec_of(text)));
  EXPECT_EQ(bound_of(text, set("TS", 32)).macros, (Macros{{"TILE", "32"}}));
}

TEST(MacroValues, refuse_lists) {
  const auto text = with(small, "\"src\"", R"~("macros_values": {"TILE": "TS"}, "src")~");
  EXPECT_THAT(bind(spec_of(text), set("TS", expr::List{1})).error().message(),
              HasSubstr("'macros_values.TILE'"));
}

}  // namespace
}  // namespace kiln::spec
