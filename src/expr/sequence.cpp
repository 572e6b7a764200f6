#include <fmt/format.h>

#include "expr/message.hpp"
#include "expr/operators.hpp"
#include "expr/utf8.hpp"

namespace kiln::expr {
namespace {

/// Callers have paid for the whole, so one allocation of that size is harmless.
template <class Sequence>
Sequence repeated(const Sequence& part, std::size_t times) {
  Sequence whole;
  whole.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

template <class Sequence>
Sequence joined(const Sequence& first, const Sequence& second) {
  Sequence whole;
  whole.reserve(first.size() + second.size());
  whole.insert(whole.end(), first.begin(), first.end());
  whole.insert(whole.end(), second.begin(), second.end());
  return whole;
}

}  // namespace

/// Two strings or two lists, which the caller has checked.
Expected<Value> concatenate(const Value& left, const Value& right, Budget& budget) {
  Extent extent = extent_of(left);
  const Extent added = extent_of(right);
  extent.items += added.items;
  extent.bytes += added.bytes;
  if (auto paid = budget.make(extent); !paid) return tl::unexpected(paid.error());
  if (left.is_string()) {
    return Value(joined(std::get<std::string>(left.data()), std::get<std::string>(right.data())));
  }
  return Value(joined(std::get<List>(left.data()), std::get<List>(right.data())));
}

/// A negative count gives an empty sequence, as in Python.
Expected<Value> repeat(const Value& sequence, std::int64_t times, Budget& budget) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, times));
  const Extent extent = extent_of(sequence);
  if (auto paid = budget.make(extent, count); !paid) return tl::unexpected(paid.error());
  // An empty sequence stays empty however often: no loop over a count that nothing pays for.
  const bool empty = extent.items + extent.bytes == 0;
  if (sequence.is_string()) {
    return Value(repeated(std::get<std::string>(sequence.data()), empty ? 0 : count));
  }
  return Value(repeated(std::get<List>(sequence.data()), empty ? 0 : count));
}

Expected<Value> item_of(const Value& sequence, const Value& position) {
  const auto* const text = std::get_if<std::string>(&sequence.data());
  const auto* const list = std::get_if<List>(&sequence.data());
  if (!text && !list) {
    return fail(Errc::bad_input, fmt::format("{} has no items to index", sequence.type_name()));
  }
  if (!position.is_integer()) {
    return fail(Errc::bad_input,
                fmt::format("an index is an integer, found {}", position.type_name()));
  }
  const auto size = static_cast<std::int64_t>(list ? list->size() : count_characters(*text));
  const std::int64_t written = integer_of(position);
  const std::int64_t at = written < 0 ? written + size : written;
  if (at < 0 || at >= size) {
    return fail(Errc::bad_input,
                fmt::format("index {} is outside a {} of {}", written, sequence.type_name(), size));
  }
  const auto offset = static_cast<std::size_t>(at);
  return list ? (*list)[offset] : Value(std::string(nth_character(*text, offset)));
}

}  // namespace kiln::expr
