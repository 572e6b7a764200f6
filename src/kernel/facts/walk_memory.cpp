#include <algorithm>

#include "kernel/facts/walker.hpp"

namespace kiln::safety {

/// Past the name, at the bracket. Arguments are read before the call, in order.
Value Walker::call(const Token& callee) {
  const std::uint32_t begin = at_ - 1;
  ++at_;
  std::vector<Value> arguments;
  std::vector<TokenRange> ranges;
  while (!is(punct(")"))) {
    const std::uint32_t from = at_;
    if (is_type_word(word())) {  // a type as argument, as in __builtin_astype(x, float4)
      while (at_ < end_ && !is(punct(",")) && !is(punct(")"))) ++at_;
      arguments.emplace_back();
    } else {
      arguments.push_back(load(assignment()));
    }
    ranges.push_back({from, at_});
    if (!take(punct(","))) break;
  }
  expect(punct(")"));
  if (const auto known = flow_.by_name.find(callee.code); known != flow_.by_name.end())
    return call_function(known->second, arguments, text(begin, at_), begin);
  return call_builtin(callee, arguments, ranges, begin);
}

/// In undecided branches a function may have several definitions; any of them may be called.
Value Walker::call_function(const std::vector<std::uint32_t>& candidates,
                            std::vector<Value>& arguments, std::string_view text,
                            std::uint32_t at) {
  Value result;
  for (const std::uint32_t index : candidates)
    bind(flow_.functions[index], arguments, text, at, result);
  return result;
}

/// One call: what the arguments are goes down, what the function does comes up.
void Walker::bind(FunctionFlow& callee, std::vector<Value>& arguments, std::string_view text,
                  std::uint32_t at, Value& result) {
  const std::string name(flow_.unit.name(callee.function->name));
  if (callee.parameters.size() != arguments.size())
    give_up("calls " + name + " with another number of arguments than it has");
  bool tainted = false, own = false;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Parameter& parameter = callee.parameters[k];
    const Value& argument = arguments[k];
    tainted |= argument.tainted;
    own |= argument.own;
    flow_.raise(
        callee.variables[static_cast<std::size_t>(callee.holder(static_cast<int>(k)))].tainted,
        argument.tainted);
    if (argument.roots == 0 || (argument.weak && !parameter.is_pointer)) continue;
    if (!parameter.is_pointer || parameter.is_local || parameter.is_private ||
        argument.dimensions > 0)
      give_up("passes a pointer to " + name + " in a way that Kiln cannot follow");
  }
  flow_.raise(callee.control_tainted, control_tainted());
  if (callee.loads) flow_.raise(function_.loads, true);
  for (const Value& argument : arguments) taint_pointee(argument, tainted || callee.loads);

  const auto mapped = [&](Roots roots) {
    Roots all = roots & anywhere;
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (roots & root(k)) all |= arguments[k].roots;
    return all;
  };
  if (flow_.recording) {
    static constexpr std::size_t too_many = 20'000, too_long = 2'000;
    for (const Access& access : callee.accesses) {
      Access here = access;
      here.roots = mapped(access.roots);
      if (here.roots == 0) continue;
      if (here.roots & anywhere) give_up("follows a pointer that may point anywhere");
      here.address = std::string(text) + ':' + access.address;
      if (here.address.size() > too_long) give_up("touches memory in too many ways");
      here.data_dependent |= control_tainted();
      here.own |= own || selects();
      here.token = at;
      here.in_callee = true;
      if (function_.accesses.size() > too_many) give_up("touches memory in too many ways");
      function_.accesses.push_back(std::move(here));
    }
  } else if (std::any_of(arguments.begin(), arguments.end(),
                         [](const Value& a) { return (a.roots & anywhere) != 0 && !a.weak; })) {
    give_up("follows a pointer that may point anywhere");
  }

  result.roots |= mapped(callee.returns);
  result.tainted |= tainted || callee.returns_tainted;
  result.own |= own || callee.returns_own;
  bool returns_pointer = false;
  for (std::uint32_t i = callee.function->head.begin; i < callee.function->head.end; ++i)
    returns_pointer |= tokens_[i].is(punct("*"));
  if (result.roots != 0) {
    result.levels = 1;
    set_place(result, std::string(text));
  }
  if (!returns_pointer) return;
  result.levels = 1;
  for (const Value& argument : arguments) {
    if (argument.roots != 0 || argument.variable < 0 || argument.levels == 0) continue;
    if (result.variable >= 0) share(result.variable, argument.variable);
    result.variable = argument.variable;
  }
}

/// A function of the language, or one that is not known: then a pointer that it gets may be used in
/// any way.
Value Walker::call_builtin(const Token& callee, std::vector<Value>& arguments,
                           const std::vector<TokenRange>& ranges, std::uint32_t at) {
  const std::string name(callee.text);
  const std::size_t count = arguments.size();
  Value result;
  for (const Value& argument : arguments) {
    result.tainted |= argument.tainted;
    result.own |= argument.own;
  }
  const auto argument_text = [&](std::size_t i) { return text(ranges[i].begin, ranges[i].end); };
  const MemoryUse use = flow_.unit.memory_use(callee);
  switch (use) {
    case MemoryUse::vector_load:
    case MemoryUse::vector_store: {
      const bool is_store = use == MemoryUse::vector_store;
      const std::size_t pointer = is_store ? 2 : 1;
      if (count <= pointer) give_up("calls " + name + " with too few arguments");
      Value target = arguments[pointer];
      target.tainted |= arguments[pointer - 1].tainted;
      target.own |= arguments[pointer - 1].own;
      // vload4 and vstore4 of one offset mean the same place; so do their rounding variants.
      std::string width = name.substr(is_store ? 6 : 5);
      width = width.substr(0, width.find("_r"));
      touch(target, !is_store, is_store,
            address(target) + width + '[' + argument_text(pointer - 1) + ']');
      if (is_store) taint_pointee(target, result.tainted);
      result.tainted |= !is_store && target.roots != 0;
      return result;
    }
    case MemoryUse::group_copy: {
      if (count < 2) give_up("calls " + name + " with too few arguments");
      bool size_tainted = false, loads = false;
      for (const Value& argument : arguments)
        size_tainted |= argument.roots == 0 && argument.levels == 0 && argument.tainted;
      for (std::size_t i = 0; i < count; ++i) {
        Value target = arguments[i];
        target.tainted |= size_tainted;
        target.own |= result.own;
        loads |= i > 0 && target.roots != 0;
        touch(target, i > 0, i == 0, "copy(" + text(at, at_) + ')');
      }
      taint_pointee(arguments[0], result.tainted || loads);
      result.tainted = false;  // an event
      return result;
    }
    case MemoryUse::write_last:
      for (std::size_t i = 0; i < count; ++i) {
        touch(arguments[i], false, true);
        taint_pointee(arguments[i], result.tainted);
      }
      return result;
    case MemoryUse::pass_through:
      return count == 1 ? arguments[0] : result;
    case MemoryUse::atomic:
      for (std::size_t i = 0; i < count; ++i) {
        touch(arguments[i], true, true);
        taint_pointee(arguments[i], true);
      }
      result.tainted = true;  // what came first is a matter of chance
      return result;
    case MemoryUse::image_read:
      result.tainted = true;
      flow_.raise(function_.loads, true);
      return result;
    case MemoryUse::global_id: {
      // Dimensions 1 and 2 are the same for all devices.
      const bool other =
          count == 1 && ranges[0].end == ranges[0].begin + 1 &&
          (tokens_[ranges[0].begin].text == "1" || tokens_[ranges[0].begin].text == "2");
      result.own |= !other;
      return result;
    }
    case MemoryUse::none:
      return result;
    case MemoryUse::unknown:
      break;
  }
  for (const Value& argument : arguments) {
    if (argument.roots != 0 && !argument.weak) {
      escape(argument, "is passed to " + name + ", which Kiln does not know");
      result.tainted = true;
    }
  }
  for (const Value& argument : arguments) taint_pointee(argument, result.tainted);
  return result;
}

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
