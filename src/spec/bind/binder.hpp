#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kiln/spec/file.hpp"
#include "spec/read/names.hpp"

/// Binding a specification to sizes: the Binder, with the scopes that its formulas are evaluated
/// in.
namespace kiln::spec {

/// A finding of binding. One that depends on `dataset` having its default value may vanish with
/// another value: a check reports it as a warning.
struct BindProblem {
  Message message;
  bool by_default = false;
};

/// Symbols without a value, each with the formulas that need it.
using Missing = std::map<std::string, std::vector<const Formula*>>;

/// Works out the formulas of one spec. Each step reports what is wrong and goes on, so that a
/// check lists everything; what needs a missing symbol is skipped, the symbol is reported once.
class Binder {
 public:
  Binder(const Spec& spec, const Symbols& symbols, const BindOptions& options,
         std::vector<BindProblem>& problems);

  /// All of it. The result is whole only where no problem was reported.
  BoundSpec bind();
  const Missing& missing() const { return missing_; }

 private:
  void set_symbols(const Symbols& symbols);
  void set_default_symbols();
  void collect_missing();
  void build_scopes();

  std::optional<expr::Value> evaluate(const Formula& formula, Position position);
  std::optional<std::uint64_t> positive(const Formula& formula, const expr::Value& value);
  std::optional<std::vector<std::uint64_t>> sizes(const Formula& formula, const expr::Value& value);
  void bind_global(BoundSpec& bound);
  void bind_local(BoundSpec& bound);
  std::optional<std::vector<std::uint64_t>> local_sizes(std::size_t dimensions);
  void bind_buffers(BoundSpec& bound);
  void bind_locals(BoundSpec& bound);
  void bind_values(BoundSpec& bound);
  void bind_macros(BoundSpec& bound);
  void bind_specialization(BoundSpec& bound);
  std::optional<BoundArgument> sized(const Formula& size, std::uint32_t position, ArgumentKind kind,
                                     const Type& type);

  void problem(const Formula& at, std::string text);
  void problem_about_symbol(std::string text);
  std::string with_values(const Formula& formula) const;
  bool uses_default(const Formula& formula) const;

  const Spec& spec_;
  int partition_ = 10;
  bool dataset_is_default_ = false;
  std::map<std::string, expr::Value> symbols_;
  Missing missing_;
  expr::Scope geometry_, values_;
  std::vector<BindProblem>& problems_;
};

/// The scope of values for a run on whole buffers.
expr::Scope make_scope(const Spec& spec, const std::map<std::string, expr::Value>& symbols,
                       int partition);
/// Names of what a device gets of the work: all of it.
void set_whole_share(expr::Scope& scope);

/// The finding about one symbol without a value. It is an error where the name looks like a slip
/// of one that has a value (`datset`), else a warning: --set may give it.
Message missing_finding(const Spec& spec, const Missing::value_type& missing);

/// For a run, where every one is an error: the first, and the names of all.
Message missing_message(const Spec& spec, const Missing& missing);

}  // namespace kiln::spec
