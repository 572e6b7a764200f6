#include <algorithm>

#include "schedule/safety/walker.hpp"

namespace kiln::safety {

Walker::Walker(Flow& flow, FunctionFlow& function, std::vector<std::int32_t>& index_of)
    : flow_(flow),
      function_(function),
      index_of_(index_of),
      tokens_(flow.unit.source.tokens),
      at_(function.function->body.begin),
      end_(function.function->body.end) {
  for (std::size_t i = 0; i < function_.variables.size(); ++i)
    index_of_[function_.variables[i].symbol] = static_cast<std::int32_t>(i);
}

Walker::~Walker() {
  for (const Variable& variable : function_.variables) index_of_[variable.symbol] = -1;
}

void Walker::expect(std::uint32_t punctuator) {
  if (!take(punctuator)) give_up("cannot follow the text near '" + std::string(token().text) + "'");
}

std::uint32_t Walker::close(std::uint32_t open) const {
  const std::uint32_t closing = closing_bracket(tokens_, open, end_);
  if (closing == end_) give_up("has brackets that do not match");
  return closing;
}

void Walker::deeper() {
  static constexpr int max_depth = 400;  // of statements and expressions within one another
  if (++depth_ > max_depth) give_up("is nested too deeply");
}

int Walker::declare(std::uint32_t symbol) {
  if (symbol == 0) give_up("declares something without a name");
  if (index_of_[symbol] >= 0) return index_of_[symbol];
  const auto index = static_cast<std::int32_t>(function_.variables.size());
  function_.variables.emplace_back().symbol = symbol;
  index_of_[symbol] = index;
  return index;
}

int Walker::variable_of(const Token& token) const {
  return token.kind == TokenKind::identifier ? index_of_[token.code] : -1;
}

/// Positions are gathered in the first pass; the recording pass tells versions apart by them.
void Walker::assigned(int variable, std::uint32_t at) {
  if (variable < 0 || !flow_.first_pass) return;
  auto& positions = function_.variables[static_cast<std::size_t>(variable)].assigned;
  if (positions.empty() || positions.back() < at)
    positions.push_back(at);
  else  // a for loop's step stands before its body, and is walked before it
    positions.insert(std::upper_bound(positions.begin(), positions.end(), at), at);
}

int Walker::find(int variable) const { return function_.holder(variable); }

/// From now on what one holds the other holds: private pointers and what they point to.
void Walker::share(int a, int b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  Variable& kept = function_.variables[static_cast<std::size_t>(std::min(a, b))];
  Variable& joined = function_.variables[static_cast<std::size_t>(std::max(a, b))];
  joined.alias = std::min(a, b);
  kept.tainted |= joined.tainted;
  kept.own |= joined.own;
  kept.roots |= joined.roots;
  kept.changes_unseen = joined.changes_unseen = true;
  flow_.changed = true;
}

/// Tokens as one text. A variable carries which of its assignments came last and in which loop, so
/// that equal texts mean equal values at one work-item.
std::string Walker::text(std::uint32_t begin, std::uint32_t end) const {
  std::string result;
  if (!flow_.recording) return result;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Token& token = tokens_[i];
    const bool word = token.kind != TokenKind::punctuator;
    if (word && !result.empty()) result += ' ';
    result += token.text;
    const int variable = variable_of(token);
    if (variable < 0) continue;
    if (function_.variables[static_cast<std::size_t>(variable)].changes_unseen)
      result += '?' + std::to_string(i);  // equal to no other text
    const auto& positions = function_.variables[static_cast<std::size_t>(variable)].assigned;
    if (positions.empty()) continue;
    const auto before = std::lower_bound(positions.begin(), positions.end(), i);
    result += '#' + std::to_string(before - positions.begin());
    for (auto nest = nests_.rbegin(); nest != nests_.rend(); ++nest) {
      const auto loop = function_.loops.find(nest->key);
      if (loop == function_.loops.end() || !nest->is_loop) continue;
      const auto inside = std::lower_bound(positions.begin(), positions.end(), nest->key);
      if (inside == positions.end() || *inside >= loop->second.end) continue;
      result += '@' + std::to_string(nest->key);
      break;
    }
  }
  return result;
}

void Walker::set_place(Value& value, std::string base) {
  if (!flow_.recording || value.roots == 0) return;
  value.place = static_cast<std::uint32_t>(places_.size());
  places_.push_back({std::move(base), {}});
}

/// An offset of "0" says that there is none, where there is one already.
void Walker::add_offset(Value& value, std::string offset) {
  if (!flow_.recording || value.roots == 0) return;
  Place place = places_[value.place];
  if (place.offset.empty())
    place.offset = std::move(offset);
  else if (offset != "0")
    place.offset = '(' + place.offset + ")+(" + offset + ')';
  value.place = static_cast<std::uint32_t>(places_.size());
  places_.push_back(std::move(place));
}

std::string Walker::address(const Value& value) const {
  if (!flow_.recording) return {};
  const Place& place = places_[value.place];
  return place.base + '[' + place.offset + ']';
}

void Walker::touch(const Value& pointer, bool read, bool written) {
  if (pointer.roots != 0) touch(pointer, read, written, address(pointer));
}

void Walker::touch(const Value& pointer, bool read, bool written, std::string address) {
  if (pointer.roots == 0) return;
  if (read) flow_.raise(function_.loads, true);
  if (pointer.roots & anywhere) give_up("follows a pointer that may point anywhere");
  if (!flow_.recording) return;
  Access access;
  access.roots = pointer.roots;
  access.address = std::move(address);
  access.read = read;
  access.written = written;
  access.data_dependent = pointer.tainted || control_tainted();
  access.own = pointer.own || selects();
  access.token = at_ == 0 ? 0 : at_ - 1;
  access.branch = control_.branch;
  function_.accesses.push_back(std::move(access));
}

/// An expression's value where it is used: an object in memory is read.
Value Walker::load(Value value) {
  if (!value.memory) return value;
  value.memory = false;
  const bool is_array = value.levels > 0 && !value.through_memory && !value.weak;
  if (!is_array) touch(value, true, false);
  set_place(value, address(value));
  if (is_array) return value;  // its address
  if (value.levels > 0 && value.through_memory) {
    value.roots = anywhere;
  } else if (!value.weak) {
    value.roots = 0;
    value.variable = -1;
  }
  value.tainted = true;
  return value;
}

/// A value that is about to be followed. What may be an array or a number is an array then.
Value Walker::pointer_of(Value value) {
  if (value.memory && value.weak && !value.through_memory) value.weak = false;
  return load(std::move(value));
}

void Walker::store(Value& target, const Value& value, bool also_read) {
  if (target.memory) {
    if (value.roots != 0 && !value.weak) escape(value, "is stored in memory as a pointer");
    touch(target, also_read, true);
    return;
  }
  if (target.variable < 0) give_up("assigns to what is no variable");
  const Variable& variable = function_.variables[static_cast<std::size_t>(target.variable)];
  // Only private memory is one with what points to it; global memory is known by its roots.
  if (value.variable >= 0 && value.levels > 0 && !variable.scalar &&
      (value.roots == 0 || value.dimensions > 0))
    share(target.variable, value.variable);
  Variable& holder = shared(target.variable);
  if (!variable.scalar) flow_.raise(holder.roots, value.roots);
  flow_.raise(holder.tainted, value.tainted || target.tainted || control_tainted());
  flow_.raise(holder.own, value.own || target.own);
}

/// A pointer goes where it is not followed: its memory may be read and written at any place.
void Walker::escape(const Value& value, const std::string& why) {
  if (value.roots == 0) return;
  Value any = value;
  any.tainted = true;
  touch(any, true, false, "?" + std::to_string(at_));
  touch(any, false, true, "??" + std::to_string(at_));
  if (flow_.recording) {
    const Token& at = tokens_[std::min<std::size_t>(at_, tokens_.size() - 1)];
    add_message(flow_.suspicions, flow_.unit.place(at) + ": a pointer " + why);
  }
}

void Walker::refuse(const std::string& why) {
  if (!flow_.recording) return;
  const Token& at = tokens_[std::min<std::size_t>(at_, tokens_.size() - 1)];
  add_message(flow_.reasons, flow_.unit.place(at) + ": " + why);
}

/// Something that Kiln does not see writes through a private pointer.
void Walker::taint_pointee(const Value& pointer, bool tainted) {
  if (pointer.variable < 0 || pointer.levels == 0 || pointer.roots != 0) return;
  function_.variables[static_cast<std::size_t>(pointer.variable)].changes_unseen = true;
  flow_.raise(shared(pointer.variable).tainted, tainted || control_tainted());
}

}  // namespace kiln::safety
