#include "format/json_tree.hpp"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(JsonTree, keeps_every_kind_of_value) {
  const auto document = parse_json(R"({"n": null, "t": true, "i": -7, "r": 1.50, "s": "x\"y",
                                       "l": [1, [2]], "o": {}})");
  ASSERT_TRUE(document.root);
  const JsonValue& root = *document.root;
  EXPECT_EQ(root.find("n")->value.kind, JsonValue::Kind::null);
  EXPECT_TRUE(root.find("t")->value.boolean);
  EXPECT_EQ(root.find("i")->value.integer, -7);
  EXPECT_EQ(root.find("r")->value.text, "1.50");
  EXPECT_EQ(root.find("s")->value.text, "x\"y");
  EXPECT_EQ(root.find("l")->value.items[1].items[0].integer, 2);
  EXPECT_EQ(root.find("o")->value.kind, JsonValue::Kind::object);
  EXPECT_EQ(root.find("absent"), nullptr);
}

TEST(JsonTree, knows_where_each_key_and_value_starts) {
  const std::string text = "{\n  \"a\" : [ 10,\n   \"q:,\" , {\"b\":\ttrue } ]\n, \"c\":1}";
  const auto document = parse_json(text);
  ASSERT_TRUE(document.root);
  const auto& a = *document.root->find("a");
  EXPECT_EQ(document.root->at, 0u);
  EXPECT_EQ(a.at, text.find("\"a\""));
  EXPECT_EQ(a.value.at, text.find('['));
  EXPECT_EQ(a.value.items[0].at, text.find("10"));
  EXPECT_EQ(a.value.items[1].at, text.find("\"q:,\""));
  EXPECT_EQ(a.value.items[2].at, text.find("{\"b\""));
  EXPECT_EQ(a.value.items[2].members[0].value.at, text.find("true"));
  EXPECT_EQ(document.root->find("c")->at, text.find("\"c\""));
  EXPECT_EQ(document.root->find("c")->value.at, text.find("1}"));
}

TEST(JsonTree, counts_lines_and_columns_from_one) {
  const LineTable lines("ab\n\ncd");
  EXPECT_EQ(lines.line(0), 1u);
  EXPECT_EQ(lines.line(2), 1u);
  EXPECT_EQ(lines.line(3), 2u);
  EXPECT_EQ(lines.line(4), 3u);
  EXPECT_EQ(lines.column(0), 1u);
  EXPECT_EQ(lines.column(5), 2u);
}

TEST(JsonTree, takes_the_last_of_equal_keys_and_warns) {
  const std::string text = "{\"a\": 1,\n \"b\": 2,\n \"a\": 3}";
  const auto document = parse_json(text);
  ASSERT_TRUE(document.root);
  EXPECT_EQ(document.root->find("a")->value.integer, 3);
  ASSERT_EQ(document.warnings.size(), 1u);
  EXPECT_EQ(document.warnings[0].at, text.rfind("\"a\""));
  EXPECT_NE(document.warnings[0].text.find("the last one counts"), std::string::npos);
}

TEST(JsonTree, skips_a_byte_order_mark_and_keeps_positions) {
  const auto document = parse_json("\xEF\xBB\xBF{\"a\": 5}");
  ASSERT_TRUE(document.root);
  EXPECT_EQ(document.root->at, 3u);
  EXPECT_EQ(document.root->find("a")->value.at, 9u);
}

TEST(JsonTree, says_where_the_text_stops_being_json) {
  const std::string text = "{\"a\": [1, 2}\n";
  const auto document = parse_json(text);
  EXPECT_FALSE(document.root);
  EXPECT_EQ(document.error.at, text.find('}'));
  EXPECT_NE(document.error.text.find("unexpected '}'"), std::string::npos) << document.error.text;
}

TEST(JsonTree, refuses_an_empty_text_and_what_follows_the_value) {
  EXPECT_FALSE(parse_json("").root);
  EXPECT_FALSE(parse_json("{} {}").root);
  EXPECT_FALSE(parse_json("[1e999]").root);
}

TEST(JsonTree, refuses_values_nested_too_deeply) {
  EXPECT_TRUE(parse_json(std::string(60, '[') + std::string(60, ']')).root);
  const auto deep = parse_json(std::string(1'000'000, '['));
  EXPECT_FALSE(deep.root);
  EXPECT_NE(deep.error.text.find("nested deeper than 64"), std::string::npos);
}

TEST(JsonTree, refuses_more_values_than_any_file_has) {
  const auto list = [](std::size_t values) {
    std::string text = "[0";
    for (std::size_t i = 1; i < values; ++i) text += ",0";
    return text + "]";
  };
  EXPECT_TRUE(parse_json(list(999'999)).root);  // and the list itself
  const auto many = parse_json(list(1'000'000));
  EXPECT_FALSE(many.root);
  EXPECT_EQ(many.error.text, "found more than 1000000 values, expected no more");
  EXPECT_EQ(many.error.at, 1'999'999u);
  EXPECT_FALSE(parse_json(list(10), 10).root);
  EXPECT_TRUE(parse_json(list(10), 11).root);
}

TEST(JsonTree, keeps_the_digits_of_integers_beyond_64_bits) {
  const auto document = parse_json("[9223372036854775807, 18446744073709551615, -9e99]");
  ASSERT_TRUE(document.root);
  EXPECT_EQ(document.root->items[0].integer, INT64_MAX);
  EXPECT_EQ(document.root->items[1].kind, JsonValue::Kind::real);
  EXPECT_EQ(document.root->items[1].text, "18446744073709551615");
  EXPECT_EQ(describe(document.root->items[2]), "-9e99");
}

TEST(TrailingCommas, are_tolerated_with_a_warning_each) {
  const auto document = parse_json("{\"a\": [1, 2,\n ],\n \"b\": \"x,]\",\n}");
  ASSERT_TRUE(document.root) << document.error.text;
  EXPECT_EQ(document.warnings.size(), 2u);
  EXPECT_EQ(document.root->find("a")->value.items.size(), 2u);
  EXPECT_EQ(document.root->find("b")->value.text, "x,]");
}

TEST(TrailingCommas, without_a_value_before_them_stay_errors) {
  for (const auto* text : {"[,]", "{,}", "[1,,]", "{\"a\":,}"})
    EXPECT_FALSE(parse_json(text).root) << text;
}

TEST(Quote, shortens_and_shows_control_characters) {
  EXPECT_EQ(quote("a\nb"), "\"a\\x0ab\"");
  const auto lengthy = quote(std::string(10'000'000, 'x'));
  EXPECT_LT(lengthy.size(), 100u);
  EXPECT_NE(lengthy.find("10000000 characters"), std::string::npos);
}

TEST(Quote, cuts_no_character_in_half) {
  for (std::size_t lead = 56; lead <= 60; ++lead) {
    const auto text = quote(std::string(lead, 'a') + "\xE2\x82\xAC" + std::string(50, 'b'));
    const auto shown = text.substr(1, text.find("\" … (") - 1);
    EXPECT_TRUE(shown.back() == 'a' || shown.back() == 'b' || shown.ends_with("\xE2\x82\xAC"))
        << lead << ": " << text;
  }
}

}  // namespace
}  // namespace kiln
