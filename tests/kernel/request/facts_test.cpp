// Payloads, and values as facts and back.
#include "kernel/request/facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

namespace kiln {
namespace {

using ::testing::HasSubstr;

enum class Shape : std::uint8_t { round, square };

struct Thing {
  std::string name;
  int width = 1;
  bool is_flat = false;
  Shape shape = Shape::round;
  std::vector<int> cuts = {};
  std::map<std::string, int> marks = {};
  std::optional<int> depth = {};
  bool operator==(const Thing&) const = default;
};

Expected<int> number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos)
    return fail(Errc::bad_input, "'" + text + "' is no number");
  return std::stoi(text);
}
std::string text(int value) { return std::to_string(value); }

void fields(FactFields& to, Thing& thing) {
  constexpr std::string_view shapes[] = {"round", "square"};
  to.text("name", thing.name, "a name");
  to.integer("width", thing.width, 1, 100, 1);
  to.integer("is flat", thing.is_flat, 0, 1);
  to.choice("shape", thing.shape, shapes, std::optional(Shape::round));
  to.list("cut", thing.cuts, text, number);
  to.map("mark", thing.marks, text,
         [](const std::string&, const std::string& found) { return number(found); });
  to.parsed("depth", thing.depth, thing.depth ? text(*thing.depth) : "",
            [](const std::string& found) -> Expected<std::optional<int>> { return number(found); });
}

Facts facts_of(const Thing& thing) { return to_facts(thing, fields, FactFields::Lists::repeated); }

Thing all_set() { return {"it", 7, true, Shape::square, {3, 5}, {{"a b", 1}, {"c", 2}}, 9}; }

TEST(FactFields, come_back_in_any_order) {
  for (const Thing& thing : {all_set(), Thing{"least"}}) {
    Facts facts = to_facts(thing, fields);
    std::rotate(facts.begin(), facts.begin() + 1, facts.end());
    EXPECT_EQ(value_or_throw(from_facts<Thing>(facts, fields)), thing);
  }
}

TEST(FactFields, leave_out_what_is_as_it_would_be_read) {
  EXPECT_EQ(to_facts(Thing{"least"}, fields),
            (Facts{{"name", std::string("least")}, {"is flat", std::int64_t{0}}}));
}

TEST(FactFields, number_the_entries_of_lists_in_records_alone) {
  const auto names = [](const Facts& facts) {
    std::string all;
    for (const auto& fact : facts) all += fact.name + ";";
    return all;
  };
  EXPECT_THAT(names(to_facts(all_set(), fields)), HasSubstr("cut 0;cut 1;"));
  EXPECT_THAT(names(facts_of(all_set())), HasSubstr("cut;cut;"));
}

TEST(FactFields, that_are_absent_of_another_type_or_out_of_bounds_are_named) {
  const auto refusal = [](const std::string& name, decltype(Fact::value) value) {
    Facts facts = to_facts(all_set(), fields);
    for (auto& fact : facts)
      if (fact.name == name) fact.value = value;
    const auto back = from_facts<Thing>(facts, fields);
    return back ? "nothing" : back.error().message();
  };
  EXPECT_EQ(refusal("name", std::int64_t{1}), "'name': expected a name");
  EXPECT_EQ(refusal("width", std::int64_t{0}), "'width': expected an integer from 1 to 100");
  EXPECT_EQ(refusal("width", std::string("7")), "'width': expected an integer from 1 to 100");
  EXPECT_EQ(refusal("shape", std::string("flat")),
            "'shape': found 'flat', expected one of round, square");
  EXPECT_EQ(refusal("cut 1", std::string("x")), "'cut 1': 'x' is no number");
  EXPECT_EQ(refusal("mark a b", std::int64_t{1}), "'mark a b': '' is no number");
  EXPECT_EQ(refusal("depth", std::string("deep")), "'depth': 'deep' is no number");
  EXPECT_EQ(from_facts<Thing>({{"name", std::string("it")}}, fields).error().message(),
            "'is flat': expected an integer from 0 to 1");
}

TEST(Payload, is_shared_and_known_by_its_type) {
  const Payload payload = all_set(), copy = payload;
  EXPECT_EQ(payload.as<Thing>(), all_set());
  EXPECT_EQ(&payload.as<Thing>(), &copy.as<Thing>());
  EXPECT_EQ(payload.facts(), facts_of(all_set()));
  EXPECT_EQ(payload.get_if<Facts>(), nullptr);
  EXPECT_THROW(payload.as<Facts>(), Error);
}

TEST(Payload, may_be_none_or_plain_facts) {
  EXPECT_TRUE(Payload().facts().empty());
  EXPECT_EQ(Payload().get_if<Thing>(), nullptr);
  const Facts facts{{"unit", std::int64_t{1}}};
  EXPECT_EQ(Payload(facts).facts(), facts);
}

}  // namespace
}  // namespace kiln
