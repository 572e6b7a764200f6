#include <gtest/gtest.h>

#include <deque>

#include "kernel/source/macro.hpp"

namespace kiln {
namespace {

/// Macros made from texts, as after `#define `, with symbols of their own.
class MacroTest : public ::testing::Test {
 protected:
  Macro make(const std::string& definition) {
    Lexed lexed = lex(symbols_.adopt(definition));
    for (Token& token : lexed.tokens)
      if (token.kind == TokenKind::identifier) token.code = symbols_.intern(token.text);
    return parse_macro(lexed.tokens.data(), lexed.tokens.size(), symbols_);
  }
  const Macro* keep(const std::string& definition) {
    return &macros_.emplace_back(make(definition));
  }
  Meanings defined(const std::string& definition) { return {{keep(definition)}, false, false}; }

  Symbols symbols_;
  std::deque<Macro> macros_;
};

TEST_F(MacroTest, an_object_like_macro_has_a_body) {
  const Macro macro = make("N 16 + x");
  EXPECT_EQ(symbols_.name(macro.name), "N");
  EXPECT_FALSE(macro.function_like);
  EXPECT_EQ(macro.body.size(), 3u);
  EXPECT_TRUE(make("EMPTY").body.empty());
  EXPECT_EQ(make("SPACED (x)").body.size(), 3u);
}

TEST_F(MacroTest, a_function_like_macro_has_parameters) {
  const Macro macro = make("F(a, b) a*b");
  EXPECT_TRUE(macro.function_like && macro.valid && !macro.variadic);
  ASSERT_EQ(macro.parameters.size(), 2u);
  EXPECT_EQ(symbols_.name(macro.parameters[1]), "b");
  EXPECT_EQ(macro.body.size(), 3u);
  EXPECT_TRUE(make("G() 1").parameters.empty());
}

TEST_F(MacroTest, variable_arguments_have_a_name) {
  const Macro standard = make("L(a, ...) f(a, __VA_ARGS__)");
  EXPECT_TRUE(standard.variadic);
  EXPECT_EQ(symbols_.name(standard.parameters[1]), "__VA_ARGS__");
  const Macro named = make("M(rest...) f(rest)");
  EXPECT_TRUE(named.variadic);
  EXPECT_EQ(symbols_.name(named.parameters[0]), "rest");
}

TEST_F(MacroTest, a_malformed_definition_is_not_valid) {
  for (const char* text : {"", "1", "F(a", "F(1) x", "F(a b", "F(+)"})
    EXPECT_FALSE(make(text).valid) << text;
}

TEST_F(MacroTest, definitions_are_the_same_where_they_expand_to_the_same) {
  EXPECT_TRUE(same_definition(make("A 1 + 2"), make("A  1+2")));
  EXPECT_FALSE(same_definition(make("A 1"), make("A 2")));
  EXPECT_FALSE(same_definition(make("A x"), make("A() x")));
  EXPECT_FALSE(same_definition(make("A(x) x"), make("A(y) x")));
  EXPECT_FALSE(same_definition(make("A x y"), make("A x")));
}

TEST_F(MacroTest, joining_keeps_every_meaning_once) {
  const Meanings both = join(defined("A 1"), join(defined("A 2"), defined("A 1")));
  EXPECT_EQ(both.definitions.size(), 2u);
  EXPECT_FALSE(both.maybe_undefined);
  const Meanings perhaps = join(defined("A 1"), Meanings{{}, true, false});
  EXPECT_EQ(perhaps.definitions.size(), 1u);
  EXPECT_TRUE(perhaps.maybe_undefined);
}

TEST_F(MacroTest, only_a_compilers_own_names_may_be_predefined) {
  for (const char* name :
       {"__NVIDIA__", "_X", "cl_khr_fp64", "CL_DEVICE", "linux", "FP_FAST_FMA", "INT_MAX",
        "CHAR_BIT", "M_PI", "NULL", "INFINITY", "FLT_EPSILON", "ATOMIC_VAR_INIT", "kernel_exec"})
    EXPECT_TRUE(may_be_predefined(name)) << name;
  for (const char* name : {"TILE", "N", "UseLocal", "BLOCK_SIZE", "DATA_TYPE", "GROUPS"})
    EXPECT_FALSE(may_be_predefined(name)) << name;
}

TEST_F(MacroTest, a_table_gives_names_their_first_meaning) {
  MacroTable table(symbols_);
  const Meanings own = table.look_up(symbols_.intern("TILE"));
  EXPECT_TRUE(own.definitions.empty() && own.maybe_undefined && !own.maybe_foreign);
  EXPECT_TRUE(table.look_up(symbols_.intern("__X")).maybe_foreign);
  EXPECT_FALSE(table.look_up(symbols_.intern("__OPENCL_VERSION__")).maybe_undefined);
}

TEST_F(MacroTest, rolling_back_restores_and_tells_what_was_reached) {
  MacroTable table(symbols_);
  const std::uint32_t a = symbols_.intern("A"), b = symbols_.intern("B");
  const Meanings one = defined("A 1"), two = defined("A 2"), three = defined("B 3");
  table.set(a, one);
  const std::size_t mark = table.mark();
  table.set(a, two);
  table.set(b, three);
  table.set(a, {{}, true, false});
  const auto reached = table.roll_back(mark);
  EXPECT_EQ(table.look_up(a), one);
  EXPECT_TRUE(table.look_up(b).definitions.empty());
  ASSERT_EQ(reached.size(), 2u);
  for (const auto& change : reached)
    EXPECT_EQ(change.meanings, change.symbol == a ? (Meanings{{}, true, false}) : three);
  EXPECT_TRUE(table.roll_back(table.mark()).empty());
}

}  // namespace
}  // namespace kiln
