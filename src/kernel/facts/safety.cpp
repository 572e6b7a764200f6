#include "kernel/facts/safety.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/text.hpp"
#include "kernel/facts/type_layout.hpp"
#include "kernel/facts/unit.hpp"
#include "kernel/facts/walker.hpp"

namespace kiln::safety {
namespace {

/// A kernel's or function's pointers that are followed: all but those to __local and private
/// memory.
bool is_followed(const Parameter& parameter) {
  return parameter.is_pointer && !parameter.is_local && !parameter.is_private;
}

/// "unsigned int", but not "struct node", which may hold pointers.
bool is_builtin(std::string_view type) {
  while (!type.empty()) {
    const std::size_t blank = std::min(type.find(' '), type.size());
    if (!is_type_word(classify_word(type.substr(0, blank)))) return false;
    type.remove_prefix(std::min(blank + 1, type.size()));
  }
  return true;
}

FunctionFlow make_function(const Unit& unit, std::uint32_t index) {
  FunctionFlow flow;
  flow.function = &unit.program.functions[index];
  flow.parameters = parse_parameters(unit.source, unit.program, *flow.function);
  for (std::size_t k = 0; k < flow.parameters.size(); ++k) {
    const Parameter& parameter = flow.parameters[k];
    Variable& variable = flow.variables.emplace_back();
    variable.symbol = parameter.name;
    variable.levels = parameter.is_pointer ? parameter.indirections + parameter.dimensions : 0;
    variable.through_memory =
        parameter.indirections > 1 ||
        (parameter.indirections == 1 && parameter.dimensions > 0 && !parameter.bracketed);
    variable.scalar = !parameter.is_pointer && is_builtin(parameter.type);
    variable.changes_unseen = parameter.is_local;
    if (is_followed(parameter)) variable.roots = root(k);
  }
  return flow;
}

/// Orders functions so that callees come before callers.
class Order {
 public:
  explicit Order(const Unit& unit) : unit_(unit), state_(unit.program.functions.size(), 0) {}

  std::vector<std::uint32_t> run() {
    for (const std::uint32_t kernel : unit_.kernels) visit(kernel);
    return std::move(order_);
  }

 private:
  void visit(std::uint32_t index) {
    if (state_[index] == 2) return;
    const Function& function = unit_.program.functions[index];
    if (state_[index] == 1 || ++depth_ > 500)
      throw GiveUp{function.body.begin, "calls functions in a circle"};
    state_[index] = 1;
    for (std::uint32_t i = function.body.begin; i < function.body.end; ++i) {
      const Token& token = unit_.source.tokens[i];
      // A variable may have a function's name; a call has a bracket.
      const bool call =
          token.kind == TokenKind::identifier && unit_.source.tokens[i + 1].is(punct("("));
      if (!call) continue;
      if (const auto* callees = unit_.functions_named(token.code))
        for (const std::uint32_t callee : *callees) visit(callee);
    }
    state_[index] = 2;
    --depth_;
    order_.push_back(index);
  }

  const Unit& unit_;
  std::vector<char> state_;
  std::vector<std::uint32_t> order_;
  int depth_ = 0;
};

/// Walks all functions until nothing grows, then once more to record the accesses.
Flow follow(const Unit& unit) {
  Flow flow{unit, {}, {}, false, true, false, {}, {}};
  for (const std::uint32_t index : Order(unit).run()) {
    flow.by_name[unit.program.functions[index].name].push_back(
        static_cast<std::uint32_t>(flow.functions.size()));
    flow.functions.push_back(make_function(unit, index));
  }
  std::vector<std::int32_t> index_of(unit.source.symbols.size(), -1);
  const auto walk = [&](FunctionFlow& function) {
    function.accesses.clear();
    Walker(flow, function, index_of).run();
  };
  // What a function does goes up to its callers, and what they pass goes down.
  const auto up = [&] { std::for_each(flow.functions.begin(), flow.functions.end(), walk); };
  const auto down = [&] { std::for_each(flow.functions.rbegin(), flow.functions.rend(), walk); };
  up();
  flow.first_pass = false;
  static constexpr int max_passes = 40;
  for (int i = 0; i < max_passes; ++i) {
    flow.recording = false;
    if (flow.functions.size() > 1) down();
    flow.recording = true;
    flow.changed = false;
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
  Judge(const Unit& unit, const FunctionFlow& kernel, KernelFacts& safety)
      : unit_(unit), kernel_(kernel), safety_(safety) {
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
        safety_.data_dependent_writes |= access.data_dependent && !written_before(access);
        if (!access.own) shared = &access;
      }
    }
    use.read = read != nullptr;
    use.written = write != nullptr;
    if (write == nullptr) return;
    if (read != nullptr) {
      use.read_and_written_at_different_index = reads.size() > 1 || reads != writes;
      if (use.read_and_written_at_different_index) {
        safety_.reads_what_is_written = true;
        safety_.data_dependent_reads |= data_dependent_read;
        suspect(*read, "reads " + use.name + " and writes it (" + place(*write) +
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
           std::any_of(same->second.begin(), same->second.end(), [&](const Access* earlier) {
             return earlier->token < access.token && earlier->roots == access.roots &&
                    is_around(earlier->branch, access.branch);
           });
  }
  /// Whether whoever is in the inner branch has come through the outer one.
  bool is_around(std::uint32_t outer, std::uint32_t inner) const {
    while (inner != outer && inner != 0) inner = kernel_.branches[inner - 1];
    return inner == outer;
  }
  std::string place(const Access& access) const {
    return unit_.place(unit_.source.tokens[access.token]);
  }
  void suspect(const Access& at, const std::string& why) {
    add_message(safety_.suspicions, place(at) + ": " + why);
  }

  const Unit& unit_;
  const FunctionFlow& kernel_;
  KernelFacts& safety_;
  std::unordered_map<std::string_view, std::vector<const Access*>> sure_writes_;
};

/// Whether some cast could take the const off a pointer.
bool may_cast_pointers(const Unit& unit) {
  const auto casts = [&](const std::vector<Token>& tokens) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (!tokens[i].is(punct("*"))) continue;
      const Word next = unit.source.word(tokens[i + 1]);
      if (tokens[i + 1].is(punct(")")) || begins_type(next)) return true;
    }
    return false;
  };
  const auto& typedefs = unit.program.typedefs;
  const bool pointer_names = std::any_of(typedefs.begin(), typedefs.end(), [&](const auto& entry) {
    for (const TokenRange range : entry.second)
      for (std::uint32_t i = range.begin; i < range.end; ++i)
        if (unit.source.tokens[i].is(punct("*"))) return true;
    return false;
  });
  return pointer_names || casts(unit.source.tokens) || casts(unit.source.alternatives);
}

/// Several functions, or several heads in front of one body.
bool has_several_definitions(const Unit& unit) {
  const Function& kernel = unit.program.functions[unit.kernels.front()];
  int heads = 0;
  for (std::uint32_t i = kernel.head.begin; i < kernel.head.end; ++i)
    heads += unit.source.word(unit.source.tokens[i]) == Word::kernel;
  return unit.kernels.size() > 1 || heads > 1;
}

/// Whether some of the kernel's parameters are there only if the compiler says so; then nobody
/// knows which argument is which.
bool has_undecided_head(const Unit& unit) {
  const Function& kernel = unit.program.functions[unit.kernels.front()];
  const auto& tokens = unit.source.tokens;
  for (std::uint32_t i = kernel.head.begin; i < kernel.body.begin; ++i)
    if ((tokens[i].flags & Token::undecided) ||
        tokens[i].extent != tokens[kernel.body.begin - 1].extent)
      return true;
  return false;
}

void assume_the_worst(const Unit& unit, const std::vector<Parameter>& parameters,
                      KernelFacts& safety) {
  safety.parameters = describe(unit, parameters);
  safety.data_dependent_writes = safety.data_dependent_reads = true;
  safety.reads_what_is_written = true;
  const bool casts = may_cast_pointers(unit);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (!is_followed(parameters[k])) continue;
    ParameterUse& use = safety.parameters[k];
    use.read = true;
    use.written = !parameters[k].is_constant && (!parameters[k].points_to_const || casts);
    use.read_and_written_at_different_index = use.written;
  }
}

}  // namespace

std::vector<ParameterUse> describe(const Unit& unit, const std::vector<Parameter>& parameters) {
  std::vector<ParameterUse> uses;
  auto layouts =
      parameter_layouts(unit.source, unit.program, unit.program.functions[unit.kernels.front()]);
  for (const Parameter& parameter : parameters) {
    ParameterUse& use = uses.emplace_back();
    use.layout = std::move(layouts[uses.size() - 1]);
    use.name = unit.name(parameter.name);
    use.is_pointer = parameter.is_pointer;
    use.is_global = parameter.is_pointer && parameter.is_global;
    use.is_constant_space = parameter.is_pointer && parameter.is_constant;
    use.is_local = parameter.is_pointer && parameter.is_local;
    use.element_type = parameter.type;
    if (!is_followed(parameter)) {
      use.read = !parameter.can_write_image;
      use.written = use.is_local || parameter.can_write_image;
    }
  }
  return uses;
}

void check_flow(const Unit& unit, KernelFacts& safety) {
  if (unit.kernels.empty()) return;
  if (has_several_definitions(unit))
    add_message(safety.reasons,
                "the kernel has several definitions, of which the compiler chooses");
  if (has_undecided_head(unit))
    add_message(safety.reasons, "the kernel's parameters depend on what the compiler defines");
  const auto parameters =
      parse_parameters(unit.source, unit.program, unit.program.functions[unit.kernels.front()]);
  std::size_t many = 0;
  for (const Parameter& parameter : parameters) many += parameter.is_pointer;
  try {
    if (!unit.program.well_formed) throw GiveUp{0, "the source has brackets that do not match"};
    if (unit.whole_text) throw GiveUp{0, ""};
    if (has_several_definitions(unit)) throw GiveUp{0, ""};
    if (many > 60 || parameters.size() > 60) throw GiveUp{0, "the kernel has too many parameters"};
    const Flow flow = follow(unit);
    for (const std::string& suspicion : flow.suspicions) add_message(safety.suspicions, suspicion);
    for (const std::string& reason : flow.reasons) add_message(safety.reasons, reason);
    const auto kernel =
        std::find_if(flow.functions.begin(), flow.functions.end(), [&](const FunctionFlow& f) {
          return f.function == &unit.program.functions[unit.kernels.front()];
        });
    safety.parameters = describe(unit, parameters);
    for (std::size_t k = 0; k < parameters.size(); ++k)
      if (is_followed(parameters[k])) Judge(unit, *kernel, safety).judge(k, safety.parameters[k]);
  } catch (const GiveUp& reason) {
    assume_the_worst(unit, parameters, safety);
    if (reason.why.empty()) return;
    const auto& tokens = unit.source.tokens;
    const std::string place =
        reason.token == 0 || tokens.empty()
            ? ""
            : unit.place(tokens[std::min<std::size_t>(reason.token, tokens.size() - 1)]) + ": ";
    add_message(safety.suspicions,
                place + reason.why + "; all its buffers count as read and written");
  }
}

}  // namespace kiln::safety

namespace kiln {

KernelFacts analyse_split(std::string_view expanded_text, std::string_view kernel,
                          const std::vector<std::pair<std::string, std::string>>& macros) {
  const safety::Unit unit(expanded_text, kernel, macros);
  KernelFacts result;
  result.found = !unit.kernels.empty();
  if (!result.found)
    result.reasons.push_back("no kernel named " + std::string(kernel) + " is in the source");
  if (std::any_of(macros.begin(), macros.end(), [](const auto& m) { return m.first.empty(); }))
    result.reasons.push_back("a macro of the command line has no name");
  safety::check_rules(unit, result);
  safety::check_flow(unit, result);
  // They quote the source, which may hold anything.
  for (auto& reason : result.reasons) reason = one_line(reason);
  for (auto& suspicion : result.suspicions) suspicion = one_line(suspicion);
  result.splittable = result.reasons.empty();
  result.suspicious = !result.suspicions.empty();
  return result;
}

std::vector<ParameterUse> describe_parameters(
    std::string_view expanded_text, std::string_view kernel,
    const std::vector<std::pair<std::string, std::string>>& macros) {
  const safety::Unit unit(expanded_text, kernel, macros);
  if (unit.kernels.empty()) return {};
  return safety::describe(unit, parse_parameters(unit.source, unit.program,
                                                 unit.program.functions[unit.kernels.front()]));
}

}  // namespace kiln
