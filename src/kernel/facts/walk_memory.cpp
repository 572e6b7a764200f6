#include <clang-c/Index.h>

#include <algorithm>

#include "kernel/facts/flow.hpp"

namespace kiln::facts {

/// Arguments are read before the call, in order.
Value Walker::call(const Node& node) {
  std::vector<Value> arguments;
  for (std::size_t i = 1; i < node.children.size(); ++i)
    arguments.push_back(value_of(node.children[i]));
  at_ = node.begin;
  const Declaration* callee = flow_.syntax.named(node);
  if (callee == nullptr) give_up("calls the result of an expression");
  const int number = flow_.syntax.callee(node);
  if (number < 0) return call_builtin(callee->name, arguments, node);
  const auto known = flow_.by_number.find(static_cast<std::size_t>(number));
  if (known == flow_.by_number.end())
    give_up("calls " + callee->name + ", which was not looked at");
  return bind(flow_.functions[known->second], arguments, node);
}

/// One call: what the arguments are goes down, what the function does comes up.
Value Walker::bind(FunctionFlow& callee, std::vector<Value>& arguments, const Node& node) {
  if (callee.function->parameters.size() != arguments.size())
    give_up("calls " + callee.function->name + " with another number of arguments than it has");
  Value result;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    result.depend(arguments[k]);
    const auto& parameters = callee.function->parameters;
    flow_.raise(callee.variables[callee.holder(parameters[k])].tainted, arguments[k].tainted);
    if (arguments[k].roots & anywhere) give_up("follows a pointer that may point anywhere");
    // Two ways to the same private memory.
    for (std::size_t i = 0; i < k; ++i)
      if (arguments[k].variable >= 0 && arguments[i].variable >= 0 &&
          node.children[k + 1].type->holds_pointers && node.children[i + 1].type->holds_pointers &&
          function_.holder(arguments[k].variable) == function_.holder(arguments[i].variable))
        flow_.changed |= callee.share(parameters[i], parameters[k]);
  }
  flow_.raise(callee.control_tainted, control_tainted());
  if (callee.loads) flow_.raise(function_.loads, true);
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (node.children[k + 1].type->holds_pointers)
      taint_pointee(arguments[k], result.tainted || callee.loads);

  const auto mapped = [&](Roots roots) {
    Roots all = roots & anywhere;
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (roots & root(k)) all |= arguments[k].roots;
    return all;
  };
  static constexpr std::size_t too_many = 20'000, too_long = 2'000;
  const std::string called = text(node);
  for (const Access& access : callee.accesses) {
    if (!flow_.recording) break;
    Access here = access;
    here.roots = mapped(access.roots);
    if (here.roots == 0) continue;
    if (here.roots & anywhere) give_up("follows a pointer that may point anywhere");
    here.address = called + ':' + access.address;
    here.data_dependent |= control_tainted();
    here.own |= result.own || selects();
    here.at = node.begin;
    here.in_callee = true;
    if (here.address.size() > too_long || function_.accesses.size() > too_many)
      give_up("touches memory in too many ways");
    function_.accesses.push_back(std::move(here));
  }
  result.roots = node.type->holds_pointers ? mapped(callee.returns) : 0;
  result.tainted |= callee.returns_tainted;
  result.own |= callee.returns_own;
  set_place(result, called);
  // What is given back may point to, or hold, what an argument does.
  for (std::size_t k = 0; node.type->holds_pointers && k < arguments.size(); ++k) {
    if (arguments[k].variable < 0 || !node.children[k + 1].type->holds_pointers) continue;
    if (result.variable >= 0) share(result.variable, arguments[k].variable);
    result.variable = arguments[k].variable;
  }
  return result;
}

/// A function of the language, or one that is not known: then a pointer that it gets may be used in
/// any way.
Value Walker::call_builtin(const std::string& name, std::vector<Value>& arguments,
                           const Node& node) {
  const std::size_t count = arguments.size();
  const auto is_pointer = [&](std::size_t i) { return node.children[i + 1].type->is_address(); };
  Value result;
  for (const Value& argument : arguments) result.depend(argument);
  switch (const MemoryUse use = memory_use_of(name); use) {
    case MemoryUse::vector_load:
    case MemoryUse::vector_store: {
      const bool is_store = use == MemoryUse::vector_store;
      const std::size_t pointer = is_store ? 2 : 1;
      if (count <= pointer) give_up("calls " + name + " with too few arguments");
      Value target = arguments[pointer];
      target.depend(arguments[pointer - 1]);
      // vload4 and vstore4 of one offset mean the same place; so do their rounding variants.
      std::string width = name.substr(is_store ? 6 : 5);
      width = width.substr(0, width.find("_r"));
      touch(target, !is_store, is_store,
            address(target) + width + '[' + text(node.children[pointer]) + ']');
      if (is_store) taint_pointee(target, result.tainted);
      result.tainted |= !is_store && target.roots != 0;
      return result;
    }
    case MemoryUse::group_copy: {
      if (count < 2) give_up("calls " + name + " with too few arguments");
      bool size_tainted = false, loads = false;
      for (std::size_t i = 0; i < count; ++i)
        size_tainted |= !is_pointer(i) && arguments[i].tainted;
      for (std::size_t i = 0; i < count; ++i) {
        Value target = arguments[i];
        target.tainted |= size_tainted;
        target.own |= result.own;
        loads |= i > 0 && target.roots != 0;
        touch(target, i > 0, i == 0, "copy(" + text(node) + ')');
      }
      taint_pointee(arguments[0], result.tainted || loads);
      result.tainted = false;  // an event
      return result;
    }
    case MemoryUse::write_last:
    case MemoryUse::atomic:
      result.tainted |= use == MemoryUse::atomic;  // what came first is a matter of chance
      for (std::size_t i = 0; i < count; ++i) {
        if (!is_pointer(i)) continue;
        touch(arguments[i], use == MemoryUse::atomic, true);
        taint_pointee(arguments[i], result.tainted);
      }
      return result;
    case MemoryUse::pass_through:
      return count == 1 ? arguments[0] : result;
    case MemoryUse::image_read:
      result.tainted = true;
      flow_.raise(function_.loads, true);
      return result;
    case MemoryUse::global_id: {
      // Dimensions 1 and 2 are the same for all devices.
      const std::string dimension = count == 1 ? text(node.children[1]) : "";
      result.own |= dimension != "1" && dimension != "2";
      return result;
    }
    case MemoryUse::none:
      return result;
    case MemoryUse::unknown:
      break;
  }
  for (const Value& argument : arguments) {
    if (argument.roots == 0) continue;
    escape(argument, "is passed to " + name + ", which Kiln does not know");
    result.tainted = true;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (is_pointer(i)) taint_pointee(arguments[i], result.tainted);
  if (node.type->is_pointer()) result.roots = anywhere;
  return result;
}

/// Places are gathered in the first pass; the recording pass tells versions apart by them.
void Walker::assigned(const Value& target, std::uint32_t at) {
  if (target.variable < 0 || !flow_.first_pass) return;
  auto& places = variable(target.variable).assigned;
  // A for loop's step stands before its body, and is walked before it.
  const auto next = std::lower_bound(places.begin(), places.end(), at);
  if (next == places.end() || *next != at) places.insert(next, at);
}

bool FunctionFlow::share(int a, int b) {
  a = holder(a);
  b = holder(b);
  if (a == b) return false;
  Variable &kept = variables[a], &joined = variables[b];
  joined.alias = a;
  kept.tainted |= joined.tainted;
  kept.own |= joined.own;
  kept.roots |= joined.roots;
  kept.leads_outside |= joined.leads_outside;
  kept.changes_unseen = joined.changes_unseen = true;
  return true;
}

std::string Walker::text(const Node& node) const {
  std::string made;
  if (flow_.recording) append_text(node, made);
  return made;
}

void Walker::append_text(const Node& node, std::string& to) const {
  const bool is_name = node.kind == CXCursor_DeclRefExpr && node.declaration >= 0;
  if (is_name || node.children.empty() || node.kind == CXCursor_UnaryExpr) {
    to += flow_.syntax.tokens_in(node.begin, node.end);
    if (is_name) append_version(node, to);
    return;
  }
  const Node& only = node.children[0];
  if (clang::passes_on(node) &&
      (node.kind == CXCursor_ParenExpr || (node.begin == only.begin && node.end == only.end)))
    return append_text(only, to);
  to += '(';
  std::uint32_t at = node.begin;
  for (const Node& child : node.children) {
    to += flow_.syntax.tokens_in(at, child.begin);
    append_text(child, to);
    at = std::max(at, child.end);
  }
  to += flow_.syntax.tokens_in(at, node.end) + ')';
}

void Walker::append_version(const Node& node, std::string& to) const {
  to += '$' + std::to_string(node.declaration);
  const auto known = function_.variables.find(node.declaration);
  if (known == function_.variables.end()) return;
  const Variable& named = known->second;
  const auto& places = named.assigned;
  if (named.changes_unseen || (function_.has_goto && !places.empty()))
    to += '?' + std::to_string(node.begin);  // equal to no other text
  if (places.empty()) return;
  const auto before = std::upper_bound(places.begin(), places.end(), node.begin);
  to += '#' + std::to_string(before - places.begin());
  for (auto nest = nests_.rbegin(); nest != nests_.rend(); ++nest) {
    const auto loop = function_.loops.find(nest->key);
    if (loop == function_.loops.end() || !nest->is_loop) continue;
    const auto inside = std::lower_bound(places.begin(), places.end(), nest->key);
    if (inside == places.end() || *inside > loop->second.end) continue;
    to += '@' + std::to_string(nest->key);
    break;
  }
}

void Walker::set_place(Value& value, std::string base) {
  if (!flow_.recording || value.roots == 0) return;
  value.base = std::move(base);
  value.offset.clear();
}

/// An offset of "0" says that there is none, where there is one already.
void Walker::add_offset(Value& value, std::string offset) {
  if (!flow_.recording || value.roots == 0) return;
  if (value.offset.empty())
    value.offset = std::move(offset);
  else if (offset != "0")
    value.offset = '(' + value.offset + ")+(" + offset + ')';
}

std::string Walker::address(const Value& value) const {
  return flow_.recording ? value.base + '[' + value.offset + ']' : std::string();
}

void Walker::touch(const Value& pointer, bool read, bool written) {
  if (pointer.roots != 0) touch(pointer, read, written, address(pointer));
}

void Walker::touch(const Value& pointer, bool read, bool written, std::string address) {
  if (pointer.roots == 0) return;
  if (read) flow_.raise(function_.loads, true);
  if (pointer.roots & anywhere) give_up("follows a pointer that may point anywhere");
  if (!flow_.recording) return;
  function_.accesses.push_back({.roots = pointer.roots,
                                .address = std::move(address),
                                .read = read,
                                .written = written,
                                .data_dependent = pointer.tainted || control_tainted(),
                                .own = pointer.own || selects(),
                                .at = at_,
                                .branch = control_.branch});
}

/// An expression's value where it is used: an object in a buffer is read.
Value Walker::load(Value value, const Type& type) {
  // What points to buffers is known by its roots.
  if (type.points_to_buffers()) value.variable = -1;
  if (!value.in_buffer) return value;
  value.in_buffer = false;
  const bool is_array = type.form == Type::Form::array;
  if (!is_array) touch(value, true, false);
  set_place(value, address(value));
  if (is_array) return value;  // its address
  value.roots = type.holds_pointers ? anywhere : 0;
  value.variable = -1;
  value.tainted = true;
  return value;
}

void Walker::store(const Value& target, const Value& value, const Type& type, bool also_read) {
  if (target.in_buffer) {
    if (value.roots != 0 && type.holds_pointers) escape(value, "is stored in memory as a pointer");
    touch(target, also_read, true);
    taint_pointee(target, value.tainted);  // where a generic pointer may lead to either
    return;
  }
  if (target.variable < 0) give_up("assigns to what is no variable");
  // Only private memory is one with what points to it; buffers are known by their roots.
  if (value.variable >= 0 && type.holds_pointers && !type.points_to_buffers())
    share(target.variable, value.variable);
  Variable& holder = shared(target.variable);
  if (type.holds_pointers) {
    flow_.raise(holder.roots, value.roots);
    if (value.roots != 0 && target.followed && holder.leads_outside)
      escape(value, "is stored in memory as a pointer");
  }
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
  if (flow_.recording)
    add_message(flow_.suspicions, flow_.syntax.place(at_) + ": a pointer " + why);
}

void Walker::refuse(const std::string& why) {
  if (flow_.recording) add_message(flow_.reasons, flow_.syntax.place(at_) + ": " + why);
}

void Walker::become_number(const Value& pointer) {
  if (pointer.roots == 0) return;
  refuse("turns a pointer into a number, which is another one on each device");
  escape(pointer, "is turned into a number");
}

/// Something that Kiln does not see writes through a private pointer.
void Walker::taint_pointee(const Value& pointer, bool tainted) {
  if (pointer.variable < 0) return;
  variable(pointer.variable).changes_unseen = true;
  flow_.raise(shared(pointer.variable).tainted, tainted || control_tainted());
}

}  // namespace kiln::facts
