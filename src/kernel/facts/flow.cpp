#include "kernel/facts/flow.hpp"

#include <clang-c/Index.h>

#include <algorithm>
#include <set>

namespace kiln::facts {
namespace {

/// Functions that a kernel reaches, callees before callers.
class Order {
 public:
  explicit Order(const Syntax& syntax) : syntax_(syntax), state_(syntax.functions.size()) {}

  void visit(std::size_t function, int depth = 0) {
    enum { fresh, begun, done };
    const Node& body = syntax_.functions[function].body;
    if (state_[function] == done) return;
    if (state_[function] == begun || depth >= 500)
      throw GiveUp{body.begin, "calls functions in a circle"};
    state_[function] = begun;
    clang::visit_nodes(body, [&](const Node& node) {
      if (node.kind == CXCursor_CallExpr && syntax_.callee(node) >= 0)
        visit(static_cast<std::size_t>(syntax_.callee(node)), depth + 1);
    });
    state_[function] = done;
    found.push_back(function);
  }

  std::vector<std::size_t> found;

 private:
  const Syntax& syntax_;
  std::vector<char> state_;
};

FunctionFlow make_function(const Syntax& syntax, std::size_t index) {
  FunctionFlow flow;
  flow.function = &syntax.functions[index];
  for (std::size_t k = 0; k < flow.function->parameters.size(); ++k) {
    const int declaration = flow.function->parameters[k];
    const Type& type = *syntax.declared(declaration).type;
    Variable& variable = flow.variables[declaration];
    if (type.leads_to_buffers) variable.roots = root(k);
    variable.leads_outside = type.is_pointer() && !type.points_to_buffers();
    variable.changes_unseen = type.is_pointer() && type.space == Space::local;
  }
  return flow;
}

/// Walks all functions until nothing grows, then once more to record the accesses.
Flow follow(const Syntax& syntax, std::size_t kernel) {
  Flow flow{syntax, {}, {}, false, true, false, {}, {}};
  Order order(syntax);
  order.visit(kernel);
  for (const std::size_t index : order.found) {
    flow.by_number[index] = flow.functions.size();
    flow.functions.push_back(make_function(syntax, index));
  }
  const auto walk = [&](FunctionFlow& function) {
    function.accesses.clear();
    Walker(flow, function).run();
  };
  // What a function does goes up to its callers, and what they pass goes down.
  const auto up = [&] { std::ranges::for_each(flow.functions, walk); };
  const auto down = [&] { std::for_each(flow.functions.rbegin(), flow.functions.rend(), walk); };
  up();
  flow.first_pass = false;
  // First without texts until nothing grows; the pass that records must not grow anything either.
  static constexpr int max_passes = 40;
  for (int i = 0; i < max_passes; ++i) {
    flow.recording = false;
    flow.changed = false;
    down();
    up();
    if (flow.changed) continue;
    flow.recording = true;
    flow.suspicions.clear();
    flow.reasons.clear();
    up();
    if (!flow.changed) return flow;  // so what it recorded holds
  }
  throw GiveUp{0, "has values that depend on one another too deeply"};
}

/// How one pointer is used, from the accesses of the whole kernel.
class Judge {
 public:
  Judge(const Syntax& syntax, const FunctionFlow& kernel, KernelFacts& facts)
      : syntax_(syntax), kernel_(kernel), facts_(facts) {
    for (const Access& write : kernel_.accesses)
      if (write.written && !write.data_dependent && !write.in_callee)
        sure_writes_[write.address].push_back(&write);
  }

  void judge(std::size_t index, ParameterUse& use) {
    std::set<std::string_view> reads, writes;
    const Access *read = nullptr, *write = nullptr, *shared = nullptr;
    bool data_dependent_read = false;
    for (const Access& access : kernel_.accesses) {
      if (!(access.roots & root(index))) continue;
      if (access.read) reads.insert(access.address), read = &access;
      data_dependent_read |= access.read && access.data_dependent;
      if (access.written) {
        writes.insert(access.address), write = &access;
        facts_.data_dependent_writes |= access.data_dependent && !written_before(access);
        if (!access.own) shared = &access;
      }
    }
    use.read = read != nullptr;
    use.written = write != nullptr;
    if (write == nullptr) return;
    if (read != nullptr) {
      use.read_and_written_at_different_index = reads.size() > 1 || reads != writes;
      if (use.read_and_written_at_different_index) {
        facts_.reads_what_is_written = true;
        facts_.data_dependent_reads |= data_dependent_read;
        suspect(*read, "reads " + use.name + " and writes it (" + syntax_.place(write->at) +
                           ") at an index that may be another work-item's");
      }
    }
    if (shared != nullptr)
      suspect(*shared,
              "writes " + use.name + " at an index that does not depend on get_global_id(0)");
  }

 private:
  /// Whether the same element was written before for certain: then a condition on loaded values
  /// decides what is written, but not where.
  bool written_before(const Access& access) const {
    if (access.in_callee) return false;
    const auto same = sure_writes_.find(access.address);
    return same != sure_writes_.end() &&
           std::ranges::any_of(same->second, [&](const Access* earlier) {
             return earlier->at < access.at && earlier->roots == access.roots &&
                    is_around(earlier->branch, access.branch);
           });
  }
  /// Whether whoever is in the inner branch has come through the outer one.
  bool is_around(std::uint32_t outer, std::uint32_t inner) const {
    while (inner != outer && inner != 0) inner = kernel_.branches[inner - 1];
    return inner == outer;
  }
  void suspect(const Access& at, const std::string& why) {
    add_message(facts_.suspicions, syntax_.place(at.at) + ": " + why);
  }

  const Syntax& syntax_;
  const FunctionFlow& kernel_;
  KernelFacts& facts_;
  std::unordered_map<std::string_view, std::vector<const Access*>> sure_writes_;
};

bool is_followed(const ParameterUse& use) { return use.is_pointer && !use.is_local; }

/// Whether some cast could take the const off a pointer.
bool may_cast_pointers(const Syntax& syntax) {
  const auto& tokens = syntax.lexed.tokens;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string_view next = tokens[i + 1].text;
    if (tokens[i].text == "typedef") {
      for (std::size_t k = i; k < tokens.size() && tokens[k].text != ";"; ++k)
        if (tokens[k].text == "*") return true;
    }
    if (tokens[i].text == "*" && (next == ")" || next == "const" || next == "restrict"))
      return true;
  }
  return false;
}

}  // namespace

void assume_the_worst(const Syntax& syntax, std::size_t kernel, KernelFacts& facts) {
  facts.data_dependent_writes = facts.data_dependent_reads = true;
  facts.reads_what_is_written = true;
  const bool casts = may_cast_pointers(syntax);
  for (std::size_t k = 0; k < facts.parameters.size(); ++k) {
    ParameterUse& use = facts.parameters[k];
    if (!is_followed(use)) continue;
    // Of a pointer to pointers the innermost type says nothing of what the parameter points to.
    const clang::Type& type = *syntax.declared(syntax.functions[kernel].parameters[k]).type;
    const bool is_const = type.is_const && (type.depth == 1 || type.rows);
    use.read = true;
    use.written = !use.is_constant_space && (!is_const || casts);
    use.read_and_written_at_different_index = use.written;
  }
}

void check_flow(const Syntax& syntax, std::size_t kernel, KernelFacts& facts) {
  try {
    if (facts.parameters.size() > 60) throw GiveUp{0, "the kernel has too many parameters"};
    const Flow flow = follow(syntax, kernel);
    for (const std::string& suspicion : flow.suspicions) add_message(facts.suspicions, suspicion);
    for (const std::string& reason : flow.reasons) add_message(facts.reasons, reason);
    Judge judge(syntax, flow.functions[flow.by_number.at(kernel)], facts);
    for (std::size_t k = 0; k < facts.parameters.size(); ++k)
      if (is_followed(facts.parameters[k])) judge.judge(k, facts.parameters[k]);
  } catch (const GiveUp& reason) {
    assume_the_worst(syntax, kernel, facts);
    const std::string place = reason.at == 0 ? "" : syntax.place(reason.at) + ": ";
    add_message(facts.suspicions,
                place + reason.why + "; all its buffers count as read and written");
  }
}

}  // namespace kiln::facts
