#include "kernel/facts/operations.hpp"

#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "kernel/facts/syntax.hpp"

namespace kiln {
namespace facts {
namespace {

struct Count {
  double single = 0, twice = 0;  ///< in single (or half) and in double precision
  Count& operator+=(const Count& other) {
    single += other.single;
    twice += other.twice;
    return *this;
  }
  friend Count operator+(Count a, const Count& b) { return a += b; }
  Count operator*(double times) const { return {single * times, twice * times}; }
  bool operator==(const Count&) const = default;
  bool is_none() const { return *this == Count{}; }
};

/// Thrown within, where a count is not to be had.
struct Uncounted {
  std::uint32_t at;
  std::string why;
};

/// Names of built-in functions that do no arithmetic, as their beginnings.
constexpr std::string_view idle[] = {"vload",
                                     "vstore",
                                     "as_",
                                     "convert_",
                                     "select",
                                     "bitselect",
                                     "fabs",
                                     "copysign",
                                     "read_image",
                                     "write_image",
                                     "shuffle",
                                     "get_",
                                     "async_",
                                     "wait_",
                                     "barrier",
                                     "mem_fence",
                                     "is",
                                     "sign",
                                     "any",
                                     "all",
                                     "printf",
                                     "prefetch",
                                     "work_group_barrier",
                                     "atomic",
                                     "atom_",
                                     "nan"};

/// One operation on each element of "float", "double4", and as clang writes the types of its
/// built-in functions: "float __attribute__((ext_vector_type(4)))".
Count elements_named(std::string_view type) {
  for (const std::string_view scalar : {"float", "double", "half"}) {
    if (!type.starts_with(scalar)) continue;
    std::string_view rest = type.substr(scalar.size());
    constexpr std::string_view vector = " __attribute__((ext_vector_type(";
    if (rest.starts_with(vector)) rest = rest.substr(vector.size(), rest.find(')') - vector.size());
    int lanes = 1;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), lanes);
    if (!rest.empty() && (error != std::errc() || end != rest.data() + rest.size())) return {};
    return scalar == "double" ? Count{0.0, 1.0 * lanes} : Count{1.0 * lanes, 0.0};
  }
  return {};
}

class Counter {
 public:
  explicit Counter(const Syntax& syntax) : syntax_(syntax) {}

  Count function(int number, int depth = 0) {
    constexpr int deepest = 64;
    const Function& function = syntax_.function(number);
    if (const auto known = known_.find(number); known != known_.end()) return known->second;
    if (function.is_too_deep || depth > deepest)
      throw Uncounted{function.begin, "the text is nested too deeply"};
    depth_ = depth;
    const Count count = visit(function.body);
    known_[number] = count;
    return count;
  }

 private:
  Count visit(const Node& node) {
    switch (node.kind) {
      case CXCursor_IfStmt:
        return if_statement(node);
      case CXCursor_ForStmt:
      case CXCursor_WhileStmt:
      case CXCursor_DoStmt:
        return loop(node);
      case CXCursor_SwitchStmt:
        return only_none(node, "a switch decides what is computed");
      case CXCursor_ConditionalOperator:
        return conditional(node);
      case CXCursor_BinaryOperator:
        if (is_logical(node)) return logical(node);
        return children(node) + arithmetic(node, *node.type);
      case CXCursor_CompoundAssignOperator:
        return children(node) + arithmetic(node, *node.type);
      case CXCursor_UnaryOperator:
        return children(node) + (clang::is_step(node) ? elements(*node.type) : Count{});
      case CXCursor_CallExpr:
        return call(node);
      case CXCursor_VarDecl:
        remember(node);
        return children(node);
      default:
        return children(node);
    }
  }

  Count children(const Node& node) {
    Count sum;
    for (const Node& child : node.children) sum += visit(child);
    return sum;
  }

  /// One operation on each element, where the type is a floating-point one.
  Count elements(const Type& type) {
    const auto known = elements_.find(type.number);
    if (known != elements_.end()) return known->second;
    Count count;
    if (type.form == Type::Form::value && syntax_.origin != nullptr &&
        type.number < syntax_.origin->types.size())
      count = elements_named(
          type_name(syntax_.origin->unit.library(), syntax_.origin->types[type.number]));
    return elements_[type.number] = count;
  }

  Count arithmetic(const Node& node, const Type& type) {
    std::string_view operation = node.operation;
    if (node.kind == CXCursor_CompoundAssignOperator && operation.ends_with('='))
      operation.remove_suffix(1);
    const bool counts =
        operation == "+" || operation == "-" || operation == "*" || operation == "/";
    return counts ? elements(type) : Count{};
  }

  Count call(const Node& node) {
    Count count = children(node);
    if (const int number = syntax_.callee(node); number >= 0) {
      const int depth = depth_;
      // Its loops are counted as if nothing were known of its arguments.
      std::map<int, long long> own;
      std::swap(own, constants_);
      const Count callee = function(number, depth + 1);
      std::swap(own, constants_);
      depth_ = depth;
      return count + callee;
    }
    const Declaration* named = syntax_.named(node);
    const std::string name = named == nullptr ? "" : named->name;
    if (name == "fma" || name == "mad") return count + elements(*node.type) * 2;
    if (name == "dot" || name == "length" || name == "distance" || name.starts_with("fast_")) {
      // Their products and sums: of n elements n and n - 1, and a difference before or a root
      // after.
      const Node* argument = nullptr;
      for (const Node& child : node.children)
        if (!elements(*child.type).is_none()) argument = &child;
      return argument == nullptr ? count : count + elements(*argument->type) * 2;
    }
    for (const std::string_view start : idle)
      if (name.starts_with(start)) return count;
    return count + elements(*node.type);
  }

  /// What there is may not be computed at all, or more than once.
  Count only_none(const Node& node, const char* why) {
    if (!children(node).is_none()) throw Uncounted{node.begin, why};
    return {};
  }

  Count logical(const Node& node) {
    if (node.children.size() == 2 && !visit(node.children[1]).is_none())
      throw Uncounted{node.begin, "whether the right side of " + node.operation +
                                      " is computed depends on the left one"};
    return children(node);
  }

  Count conditional(const Node& node) {
    if (node.children.size() != 3) return children(node);
    const Count condition = visit(node.children[0]);
    const Count first = visit(node.children[1]), second = visit(node.children[2]);
    if (first != second)
      throw Uncounted{node.begin, "a condition decides which of two expressions is computed"};
    return condition + first;
  }

  Count if_statement(const Node& node) {
    const auto parts = control_parts(syntax_, node);
    if (parts.condition == nullptr || parts.body == nullptr) return children(node);
    const Count condition = visit(*parts.condition);
    if (const auto truth = constant(*parts.condition))
      return condition + (*truth != 0                  ? visit(*parts.body)
                          : parts.otherwise != nullptr ? visit(*parts.otherwise)
                                                       : Count{});
    const Count body = visit(*parts.body);
    const Count otherwise = parts.otherwise == nullptr ? Count{} : visit(*parts.otherwise);
    if (body == otherwise) return condition + body;
    // Work-items beyond the data have nothing to do; the others go on.
    if (parts.otherwise == nullptr && !reads_memory(*parts.condition) && loops_ == 0)
      return condition + body;
    throw Uncounted{node.begin, "a condition decides what is computed"};
  }

  bool reads_memory(const Node& node) {
    return clang::any_node(node, [&](const Node& one) {
      return one.kind == CXCursor_ArraySubscriptExpr ||
             (one.kind == CXCursor_UnaryOperator && one.operation == "*") ||
             one.kind == CXCursor_MemberRefExpr;
    });
  }

  static bool jumps(const Node& node) {
    return clang::any_node(node, [](const Node& one) {
      return one.kind == CXCursor_BreakStmt || one.kind == CXCursor_ReturnStmt ||
             one.kind == CXCursor_ContinueStmt || one.kind == CXCursor_GotoStmt;
    });
  }

  Count loop(const Node& node) {
    const auto parts = control_parts(syntax_, node);
    ++loops_;
    const Count first = parts.first == nullptr ? Count{} : visit(*parts.first);
    Count round;
    const auto times = node.kind == CXCursor_ForStmt ? trips(parts) : std::nullopt;
    // The variable changes: within the loop it is no constant.
    if (parts.first != nullptr) forget(*parts.first);
    for (const Node* part : {parts.condition, parts.step, parts.body})
      if (part != nullptr) round += visit(*part);
    --loops_;
    if (round.is_none()) return first;
    if (!times) throw Uncounted{node.begin, "how often the loop runs is not a constant"};
    if (parts.body != nullptr && jumps(*parts.body))
      throw Uncounted{node.begin, "the loop may end early"};
    return first + round * static_cast<double>(*times);
  }

  // Constants.

  /// Notes a variable that never changes and is set to a constant.
  void remember(const Node& declaration) {
    const auto value =
        declaration.children.empty() ? std::nullopt : constant(declaration.children.back());
    const Declaration* named = syntax_.named(declaration);
    if (named == nullptr) return;
    constants_.erase(declaration.declaration);
    if (value && !named->can_change) constants_[declaration.declaration] = *value;
  }

  void forget(const Node& first) {
    clang::visit_nodes(first, [&](const Node& node) {
      if (node.declaration >= 0) constants_.erase(node.declaration);
    });
  }

  std::optional<long long> constant(const Node& node) {
    const Node& inner = core(node);
    if (inner.kind == CXCursor_IntegerLiteral) {
      const std::string digits = syntax_.tokens_in(inner.begin, inner.end);
      char* end = nullptr;
      const long long value = std::strtoll(digits.c_str(), &end, 0);
      return end == digits.c_str() ? std::nullopt : std::optional(value);
    }
    if (inner.kind == CXCursor_DeclRefExpr) {
      const auto known = constants_.find(inner.declaration);
      return known == constants_.end() ? std::nullopt : std::optional(known->second);
    }
    if (inner.kind == CXCursor_CStyleCastExpr && inner.children.size() == 1)
      return constant(inner.children[0]);
    if (inner.kind == CXCursor_UnaryOperator && inner.children.size() == 1) {
      const auto value = constant(inner.children[0]);
      if (value && inner.operation == "-") return -*value;
      if (value && inner.operation == "!") return *value == 0 ? 1 : 0;
      return inner.operation == "+" ? value : std::nullopt;
    }
    if (inner.kind != CXCursor_BinaryOperator || inner.children.size() != 2) return std::nullopt;
    const auto left = constant(inner.children[0]), right = constant(inner.children[1]);
    return left && right ? result_of(inner.operation, *left, *right) : std::nullopt;
  }

  static std::optional<long long> result_of(std::string_view operation, long long a, long long b) {
    constexpr long long most = 1ll << 31;  // nothing overflows
    if (std::llabs(a) > most || std::llabs(b) > most) return std::nullopt;
    if (operation == "+") return a + b;
    if (operation == "-") return a - b;
    if (operation == "*") return a * b;
    if (operation == "/" && b != 0) return a / b;
    if (operation == "%" && b != 0) return a % b;
    if (operation == "<<" && b >= 0 && b < 31) return a * (1ll << b);
    if (operation == ">>" && b >= 0 && b < 31) return a >> b;
    if (operation == "<") return a < b ? 1 : 0;
    if (operation == "<=") return a <= b ? 1 : 0;
    if (operation == ">") return a > b ? 1 : 0;
    if (operation == ">=") return a >= b ? 1 : 0;
    if (operation == "==") return a == b ? 1 : 0;
    if (operation == "!=") return a != b ? 1 : 0;
    return std::nullopt;
  }

  /// How often a `for` runs whose counter starts at a constant, is compared with one, and changes
  /// by one; nothing where it is another.
  std::optional<long long> trips(const clang::ControlParts& parts) {
    if (parts.first == nullptr || parts.condition == nullptr || parts.step == nullptr ||
        parts.body == nullptr)
      return std::nullopt;
    const auto counter = counter_of(*parts.first);
    if (!counter || changes(*parts.body, counter->first)) return std::nullopt;
    long long value = counter->second;
    constexpr long long most = 1 << 22;
    for (long long count = 0; count < most; ++count) {
      constants_[counter->first] = value;
      const auto goes_on = constant(*parts.condition);
      if (!goes_on) return std::nullopt;
      if (*goes_on == 0) return count;
      const auto next = stepped(core(*parts.step), counter->first, value);
      if (!next) return std::nullopt;
      value = *next;
    }
    return std::nullopt;
  }

  /// The one variable that the loop's first part sets, and its value.
  std::optional<std::pair<int, long long>> counter_of(const Node& first) {
    const Node* set = nullptr;
    int many = 0;
    clang::visit_nodes(first, [&](const Node& node) {
      if (node.kind != CXCursor_VarDecl && !(clang::is_assignment(node) && node.operation == "="))
        return;
      set = &node;
      ++many;
    });
    if (many != 1 || set->children.empty()) return std::nullopt;
    const int variable =
        set->kind == CXCursor_VarDecl ? set->declaration : core(set->children.front()).declaration;
    const auto value = constant(set->children.back());
    if (variable < 0 || !value) return std::nullopt;
    return std::pair(variable, *value);
  }

  bool changes(const Node& body, int variable) {
    return clang::any_node(body, [&](const Node& node) {
      const bool writes = clang::is_assignment(node) || clang::is_step(node) ||
                          (node.kind == CXCursor_UnaryOperator && node.operation == "&");
      return writes && !node.children.empty() &&
             core(node.children.front()).declaration == variable;
    });
  }

  std::optional<long long> stepped(const Node& step, int variable, long long value) {
    if (step.children.empty() || core(step.children.front()).declaration != variable)
      return std::nullopt;
    if (clang::is_step(step)) return step.operation == "++" ? value + 1 : value - 1;
    if (step.kind == CXCursor_CompoundAssignOperator && step.children.size() == 2) {
      const auto by = constant(step.children[1]);
      std::string_view operation = step.operation;
      operation.remove_suffix(1);
      return by ? result_of(operation, value, *by) : std::nullopt;
    }
    return clang::is_assignment(step) && step.children.size() == 2 ? constant(step.children[1])
                                                                   : std::nullopt;
  }

  const Syntax& syntax_;
  std::map<int, Count> known_;             ///< by the function's number
  std::map<std::size_t, Count> elements_;  ///< by the type's number
  std::map<int, long long> constants_;     ///< by declaration
  int depth_ = 0, loops_ = 0;
};

constexpr const char* absent = "no kernel of this name is in the text";

OperationCount count_in(const Syntax& syntax, const std::string& kernel) {
  OperationCount made{kernel, 0, 0, {}};
  const auto found = std::ranges::find_if(syntax.functions, [&](const Function& function) {
    return function.is_kernel && function.name == kernel;
  });
  if (found == syntax.functions.end()) {
    made.reason = absent;
    return made;
  }
  try {
    const Count count =
        Counter(syntax).function(static_cast<int>(found - syntax.functions.begin()));
    made.per_work_item = count.single + count.twice;
    made.of_doubles = count.twice;
  } catch (const Uncounted& problem) {
    made.reason = one_line(fmt::format("{}: {}", syntax.place(problem.at), problem.why));
  }
  return made;
}

/// Adds what another device's compiler may read. The program was built: a kernel is there.
void merge(const OperationCount& from, OperationCount& to) {
  if (from.reason == absent) return;
  if (to.reason == absent)
    to = from;
  else if (to.reason.empty() && (!from.reason.empty() || from.per_work_item != to.per_work_item))
    to.reason = "the count depends on what the device's compiler defines";
}

/// What stands where nothing can be counted at all.
std::vector<OperationCount> all_without(const std::vector<std::string>& kernels,
                                        const std::string& reason) {
  std::vector<OperationCount> all;
  for (const auto& kernel : kernels) all.push_back({kernel, 0, 0, one_line(reason)});
  return all;
}

std::vector<std::string> options_of(std::string_view options, std::string& standard) {
  std::vector<std::string> made;
  for (const auto& [name, value] : macros_of(options))
    if (!name.empty()) made.push_back(fmt::format("-D{}={}", name, value));
  constexpr std::string_view start = "-cl-std=";
  if (const auto at = options.find(start); at != std::string_view::npos)
    standard = options.substr(at, options.find_first_of(" \t\"'", at) - at);
  made.push_back(standard);
  return made;
}

std::vector<OperationCount> count_all(std::string_view text, std::string_view options,
                                      const std::vector<std::string>& kernels) {
  const Lexed lexed = lex(text);
  if (const auto why = beyond_bounds(lexed)) return all_without(kernels, *why);
  std::string standard = "-cl-std=CL1.2";
  const auto compiler_options = options_of(options, standard);
  std::optional<std::vector<OperationCount>> counted;
  std::string problem = "the text is empty";
  for (const Variant& variant : variants_of(text, lexed, macros_of(options), {}).all) {
    auto plain = expand_macros(variant, lexed, compiler_options);
    if (plain.impossible) continue;
    const Syntax syntax = read_syntax(std::move(plain), standard);
    if (!syntax.problems.empty() || !syntax.errors.empty()) {
      const Problem& one = (syntax.problems.empty() ? syntax.errors : syntax.problems).front();
      problem = syntax.place(one.at) + ": " + one.what;
      continue;
    }
    std::vector<OperationCount> here;
    for (const auto& kernel : kernels) here.push_back(count_in(syntax, kernel));
    if (!counted) {
      counted = std::move(here);
      continue;
    }
    for (std::size_t i = 0; i < kernels.size(); ++i) merge(here[i], (*counted)[i]);
  }
  return counted ? *counted : all_without(kernels, problem);
}

}  // namespace
}  // namespace facts

Expected<std::vector<OperationCount>> count_operations(std::string_view text,
                                                       std::string_view options,
                                                       const std::vector<std::string>& kernels) {
  return expected_from([&] { return facts::count_all(text, options, kernels); });
}

}  // namespace kiln
