#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/source/lexer.hpp"

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts(std::string_view source) {
  std::vector<std::string> result;
  const Lexed lexed = lex(source);
  for (const Token& token : lexed.tokens) result.emplace_back(token.text);
  return result;
}

std::vector<TokenKind> kinds(std::string_view source) {
  std::vector<TokenKind> result;
  const Lexed lexed = lex(source);
  for (const Token& token : lexed.tokens) result.push_back(token.kind);
  return result;
}

TEST(SourceLexer, splits_an_expression) {
  EXPECT_THAT(texts("a[i]+=b->c<<2u;"),
              ElementsAre("a", "[", "i", "]", "+=", "b", "->", "c", "<<", "2u", ";"));
}

TEST(SourceLexer, the_longest_punctuator_wins) {
  EXPECT_THAT(texts("a<<=b>>=c...d##e"),
              ElementsAre("a", "<<=", "b", ">>=", "c", "...", "d", "##", "e"));
  EXPECT_THAT(texts("x+++++y"), ElementsAre("x", "++", "++", "+", "y"));
}

TEST(SourceLexer, numbers_keep_their_exponents_and_suffixes) {
  EXPECT_THAT(texts("1.5e-3f 0x1.8p+4 .5 0xFFu 1e+10 7-1"),
              ElementsAre("1.5e-3f", "0x1.8p+4", ".5", "0xFFu", "1e+10", "7", "-", "1"));
  EXPECT_THAT(kinds(".5 v.s0"), ElementsAre(TokenKind::number, TokenKind::identifier,
                                            TokenKind::punctuator, TokenKind::identifier));
}

TEST(SourceLexer, strings_and_characters_hide_what_they_hold) {
  EXPECT_THAT(texts(R"("a // b" '"' "\"/*" 'x')"),
              ElementsAre("\"a // b\"", "'\"'", "\"\\\"/*\"", "'x'"));
}

TEST(SourceLexer, an_unclosed_string_ends_with_its_line) {
  EXPECT_THAT(texts("\"abc\nget_group_id"), ElementsAre("\"abc", "get_group_id"));
  EXPECT_THAT(texts("don't\nx"), ElementsAre("don", "'t", "x"));
  EXPECT_THAT(texts("\"abc\\"), ElementsAre("\"abc\\"));
}

TEST(SourceLexer, comments_are_white_space) {
  EXPECT_THAT(texts("a/*b*/c//d\ne/**/f/*/g*/h"), ElementsAre("a", "c", "e", "f", "h"));
  EXPECT_THAT(texts("a /* never closed"), ElementsAre("a"));
  EXPECT_THAT(texts("a // no newline"), ElementsAre("a"));
}

TEST(SourceLexer, a_continued_line_goes_on_anywhere) {
  EXPECT_THAT(texts("get_\\\ngroup_id"), ElementsAre("get_group_id"));
  EXPECT_THAT(texts("a +\\\n= b"), ElementsAre("a", "+=", "b"));
  EXPECT_THAT(texts("// comment \\\nstill comment\nx"), ElementsAre("x"));
  EXPECT_THAT(texts("/\\\n/ comment\nx"), ElementsAre("x"));
  EXPECT_THAT(texts("/\\\r\n* comment *\\\n/ x"), ElementsAre("x"));
  EXPECT_THAT(texts("a\\ \t\nb"), ElementsAre("ab"));  // blanks before the newline, as in Clang
  EXPECT_THAT(texts("\"a\\\nb\" 1\\\n2"), ElementsAre("\"ab\"", "12"));
}

TEST(SourceLexer, digraphs_are_what_they_stand_for) {
  EXPECT_THAT(texts("a<:0:> <% %>"), ElementsAre("a", "[", "0", "]", "{", "}"));
  const Lexed lexed = lex("%:define X a %:%: b\n");
  ASSERT_EQ(lexed.tokens[0].kind, TokenKind::directive);
  EXPECT_EQ(lexed.tokens[0].text, "define");
  EXPECT_EQ(lexed.tokens[3].text, "##");
}

TEST(SourceLexer, a_directive_holds_the_tokens_of_its_logical_line) {
  const Lexed lexed = lex("x\n # define A(b) \\\n b + /* \n */ 1\ny # z\n");
  EXPECT_THAT(texts("x\n # define A(b) \\\n b + /* \n */ 1\ny # z\n"),
              ElementsAre("x", "define", "A", "(", "b", ")", "b", "+", "1", "y", "#", "z"));
  EXPECT_EQ(lexed.tokens[1].kind, TokenKind::directive);
  EXPECT_EQ(lexed.tokens[1].extent, 7u);
  EXPECT_EQ(lexed.tokens[9].line, 5u);
  EXPECT_EQ(lexed.tokens[10].kind, TokenKind::punctuator);
}

TEST(SourceLexer, an_empty_directive_and_one_at_the_end) {
  EXPECT_THAT(kinds("#\n#endif"), ElementsAre(TokenKind::directive, TokenKind::directive));
  EXPECT_THAT(texts("#\n#endif"), ElementsAre("", "endif"));
}

TEST(SourceLexer, an_includes_operand_is_one_token) {
  const Lexed lexed = lex("#include <a//b.h>\n#include \"a\\b\"\n#define X <a>\n");
  EXPECT_EQ(lexed.tokens[1].text, "<a//b.h>");
  EXPECT_EQ(lexed.tokens[1].kind, TokenKind::header);
  EXPECT_EQ(lexed.tokens[3].text, "\"a\\b\"");
  EXPECT_EQ(lexed.tokens[6].text, "<");
}

TEST(SourceLexer, lines_follow_line_directives) {
  const Lexed lexed = lex("a\n#line 10 \"x.cl\"\nb\nc\n# 3 \"y.h\" 1\nd\n#line 7\ne", "main.cl");
  const auto place = [&](std::string_view name) {
    for (const Token& token : lexed.tokens)
      if (token.text == name && token.kind == TokenKind::identifier)
        return lexed.files[token.file] + ":" + std::to_string(token.line);
    return std::string("absent");
  };
  EXPECT_EQ(place("a"), "main.cl:1");
  EXPECT_EQ(place("b"), "x.cl:10");
  EXPECT_EQ(place("c"), "x.cl:11");
  EXPECT_EQ(place("d"), "y.h:3");
  EXPECT_EQ(place("e"), "y.h:7");
}

TEST(SourceLexer, lines_are_counted_through_comments_continuations_and_foreign_ends) {
  const Lexed lexed = lex("/*\n\n*/a\r\nb\rc \\\n d\n\"x\\\ny\" e");
  std::vector<std::uint32_t> lines;
  for (const Token& token : lexed.tokens) lines.push_back(token.line);
  EXPECT_THAT(lines, ElementsAre(3, 4, 5, 6, 7, 8));
}

TEST(SourceLexer, a_lone_carriage_return_ends_a_line_comment) {
  EXPECT_THAT(texts("// x\rget_group_id"), ElementsAre("get_group_id"));
}

TEST(SourceLexer, garbage_gives_unknown_tokens) {
  EXPECT_THAT(kinds("@ ` \x01"),
              ElementsAre(TokenKind::unknown, TokenKind::unknown, TokenKind::unknown));
  EXPECT_THAT(texts("\\x"), ElementsAre("\\", "x"));
  EXPECT_THAT(texts(""), IsEmpty());
}

RC_GTEST_PROP(SourceLexer, every_text_is_lexed_in_order_and_within_bounds, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "a", "1", "\"", "'", "\\\n", "\\", "\n", "\r\n", "\r", "#", "/*", "*/", "//", " ", "include",
      "<", ">", "%:", "line 5", "...", ".", "\xFF", "@"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  const Lexed lexed = lex(text);
  std::uint32_t last = 0;
  for (const Token& token : lexed.tokens) {
    RC_ASSERT(token.begin >= last);
    RC_ASSERT(token.end >= token.begin);
    RC_ASSERT(token.end <= text.size());
    if (token.kind != TokenKind::directive) {
      RC_ASSERT(!token.text.empty());
      last = token.end;
    }
  }
}

}  // namespace
}  // namespace kiln
