#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdio>
#include <cstring>

#include "random_text.hpp"
#include "support.hpp"

namespace kiln::expr {
namespace {

std::string random_tree(RandomText::Parentheses parentheses) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  return RandomText(seed, parentheses).expression(*rc::gen::inRange(1, 6));
}

RC_GTEST_PROP(RoundTrip, canonical_text_keeps_the_tree_and_the_value, ()) {
  const std::string text = random_tree(RandomText::Parentheses::everywhere);
  const auto parsed = Expression::parse(text, Dialect::python3);
  RC_ASSERT(parsed.has_value());
  const std::string canonical = parsed->canonical();
  const auto again = Expression::parse(canonical, Dialect::python3);
  RC_LOG() << text << " -> " << canonical << std::endl;
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->canonical() == canonical);
  RC_ASSERT(again->free_names() == parsed->free_names());
  RC_ASSERT(again->called_functions() == parsed->called_functions());

  const Scope scope = sample_scope();
  const auto value = parsed->evaluate(scope), same = again->evaluate(scope);
  RC_ASSERT(value.has_value() == same.has_value());
  // Texts, since nan is not equal to itself.
  if (value) RC_ASSERT(value->text() == same->text());
}

/// The text without one pair of parentheses, given where it opens.
std::string without_pair(std::string text, std::size_t opening) {
  int depth = 0;
  for (std::size_t i = opening; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth > 0) continue;
    text.erase(i, 1);
    return text.erase(opening, 1);
  }
  return text;
}

RC_GTEST_PROP(RoundTrip, no_parentheses_can_be_left_out_of_a_canonical_text, ()) {
  const std::string text = random_tree(RandomText::Parentheses::everywhere);
  const std::string canonical = canonical_of(text);
  for (std::size_t at = 0; at < canonical.size(); ++at) {
    if (canonical[at] != '(') continue;
    const auto shorter = Expression::parse(without_pair(canonical, at), Dialect::python3);
    if (shorter) RC_ASSERT(shorter->canonical() != canonical);
  }
}

RC_GTEST_PROP(RoundTrip, texts_that_leave_grouping_to_precedence_keep_their_value, ()) {
  const std::string text = random_tree(RandomText::Parentheses::some);
  const auto parsed = Expression::parse(text, Dialect::python2);
  RC_PRE(parsed.has_value());
  const std::string canonical = parsed->canonical();
  RC_ASSERT(canonical_of(canonical, Dialect::python2) == canonical);
  const Scope scope = sample_scope();
  const auto value = parsed->evaluate(scope);
  const std::string same = result_of(canonical, scope, Dialect::python2);
  if (value) RC_ASSERT(value->text() == same);
}

RC_GTEST_PROP(RoundTrip, any_integer_reads_back, (std::int64_t value)) {
  RC_ASSERT(result_of(Value(value).text()) == Value(value).text());
}

RC_GTEST_PROP(RoundTrip, any_finite_double_reads_back, (std::uint64_t bits)) {
  double value = 0;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  RC_PRE(value - value == 0);
  const auto parsed = Expression::parse(Value(value).text(), Dialect::python3);
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(*parsed->evaluate(Scope())->to_double() == value);
}

RC_GTEST_PROP(RoundTrip, any_string_reads_back, (const std::vector<std::uint32_t>& codes)) {
  std::string literal = "'";
  for (const std::uint32_t code : codes) {
    char escape[16];
    const std::uint32_t allowed = code % 0x110000;
    if (allowed >= 0xD800 && allowed <= 0xDFFF) continue;
    std::snprintf(escape, sizeof escape, "\\U%08x", allowed);
    literal += escape;
  }
  const auto parsed = Expression::parse(literal + "'", Dialect::python3);
  RC_ASSERT(parsed.has_value());
  const Value value = *parsed->evaluate(Scope());
  RC_ASSERT(result_of(value.text()) == value.text());
  RC_ASSERT(*Expression::parse(value.text(), Dialect::python3)->evaluate(Scope()) == value);
}

}  // namespace
}  // namespace kiln::expr
