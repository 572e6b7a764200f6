#include <algorithm>

#include "schedule/safety/walker.hpp"

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

}  // namespace kiln::safety
