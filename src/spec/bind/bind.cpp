#include <algorithm>
#include <bit>
#include <cmath>

#include "format/json_tree.hpp"
#include "kiln/spec/file.hpp"
#include "spec/bind/binder.hpp"
#include "spec/read/type.hpp"

// Works out what a run needs of a specification whose symbols are known (symbols.cpp): the NDRange,
// the sizes and values of its arguments, the macros.
namespace kiln::spec {
namespace {

/// Of bytes (a terabyte), elements and work-items: beyond is a slip or an attack, not a kernel's
/// argument.
constexpr std::uint64_t size_limit = std::uint64_t{1} << 40;

/// A count as an integer: floating-point results are accepted where they have no fraction.
std::optional<std::int64_t> whole(const expr::Value& value) {
  if (value.is_integer()) {
    const auto integer = value.to_integer();
    return integer ? std::optional(*integer) : std::nullopt;
  }
  const auto* real = std::get_if<double>(&value.data());
  if (real == nullptr || !(std::abs(*real) < 0x1p62) || *real != std::trunc(*real)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*real);
}

/// Division instead of multiplication: the product of three large sizes wraps around.
bool too_many(const std::vector<std::uint64_t>& global) {
  std::uint64_t product = 1;
  for (const auto size : global) {
    if (size > size_limit / product) return true;
    product *= size;
  }
  return false;
}

/// A symbol's value as C reads it, where it stands inside `whole`.
std::string as_c(const expr::Value& value, std::string_view whole, std::string_view name) {
  if (value.is_string()) return std::get<std::string>(value.data());
  if (const auto* truth = std::get_if<bool>(&value.data())) return *truth ? "1" : "0";
  const std::string text = value.text();
  // "a-TS" with TS = -1 must not become a decrement.
  return text.front() == '-' && whole != name ? "(" + text + ")" : text;
}

}  // namespace

// "found -976" alone would leave the reader to work out why.
std::string Binder::with_values(const Formula& formula) const {
  std::string result;
  if (!formula.expression) return result;
  for (const auto& name : formula.expression->free_names()) {
    const auto known = symbols_.find(name);
    if (known == symbols_.end()) continue;
    result +=
        (result.empty() ? " with " : ", ") + name + " = " + known->second.text().substr(0, 40);
  }
  return result;
}

// What only fails at the default dataset is right at another: a check must not call it broken.
bool Binder::uses_default(const Formula& formula) const {
  if (!dataset_is_default_ || !formula.expression) return false;
  const auto names = formula.expression->free_names();
  return std::find(names.begin(), names.end(), "dataset") != names.end();
}

void Binder::problem(const Formula& at, std::string text) {
  problems_.push_back(
      {{Message::Severity::error, spec_.file, at.line, 0, at.attribute, std::move(text)},
       uses_default(at)});
}

void Binder::problem_about_symbol(std::string text) {
  problems_.push_back({{Message::Severity::error, spec_.file, 0, 0, "", std::move(text)}, false});
}

// Formulas that need a missing symbol are passed over in silence: that symbol has its own finding.
std::optional<expr::Value> Binder::evaluate(const Formula& formula, Position position) {
  if (!formula.expression) return formula.literal;
  for (const auto& name : formula.expression->free_names()) {
    if (missing_.count(name) != 0) return std::nullopt;
  }
  auto value = formula.expression->evaluate(position == Position::value ? values_ : geometry_);
  if (value) return *std::move(value);
  problem(formula, "found " + quote(formula.text) + with_values(formula) +
                       ", expected a value: " + value.error().message());
  return std::nullopt;
}

std::optional<std::uint64_t> Binder::positive(const Formula& formula, const expr::Value& value) {
  const auto number = whole(value);
  if (number && *number > 0 && static_cast<std::uint64_t>(*number) <= size_limit) {
    return static_cast<std::uint64_t>(*number);
  }
  const std::string found = (formula.expression ? quote(formula.text) + " = " : std::string()) +
                            value.text().substr(0, 60) + with_values(formula);
  const bool large = number && *number > 0;
  problem(formula,
          "found " + found + ", expected " + (large ? "at most 2^40" : "an integer of at least 1"));
  return std::nullopt;
}

std::optional<std::vector<std::uint64_t>> Binder::sizes(const Formula& formula,
                                                        const expr::Value& value) {
  const auto* list = std::get_if<expr::List>(&value.data());
  const expr::List items = list == nullptr ? expr::List{value} : *list;
  if (items.empty() || items.size() > 3) {
    problem(formula, "found " + quote(formula.text) + " with " + std::to_string(items.size()) +
                         " dimensions, expected 1, 2 or 3");
    return std::nullopt;
  }
  std::vector<std::uint64_t> result;
  for (const auto& item : items) {
    const auto size = positive(formula, item);
    if (!size) return std::nullopt;
    result.push_back(*size);
  }
  return result;
}

/// An argument of so many elements. The place of what is wrong is the size's formula: the type
/// alone is never at fault.
std::optional<BoundArgument> Binder::sized(const Formula& size, std::uint32_t position,
                                           ArgumentKind kind, const Type& type) {
  const auto value = evaluate(size, Position::geometry);
  const auto count = value ? positive(size, *value) : std::nullopt;
  if (!count) return std::nullopt;
  // count is at most 2^40 and a type at most Type::largest_struct bytes: no overflow.
  const std::uint64_t bytes = *count * type.bytes();
  if (bytes <= size_limit)
    return BoundArgument{
        .position = position, .kind = kind, .type = type, .count = *count, .bytes = bytes};
  problem(size, "found " + std::to_string(bytes) + " bytes (" + std::to_string(*count) + " of " +
                    type.opencl_name() + ")" + with_values(size) + ", expected at most 2^40");
  return std::nullopt;
}

std::vector<std::uint64_t> default_local_size(const std::vector<std::uint64_t>& global) {
  const std::uint64_t most = global.size() <= 1 ? 64 : global.size() == 2 ? 8 : 4;
  std::vector<std::uint64_t> local;
  for (const auto size : global) {
    local.push_back(size == 0 ? 1 : std::min(most, std::uint64_t{1} << std::countr_zero(size)));
  }
  return local;
}

// The number of dimensions is checked here again: a list's length may depend on symbols.
void Binder::bind_global(BoundSpec& bound) {
  const Formula& formula = spec_.global_work_size;
  const auto value = evaluate(formula, Position::geometry);
  auto global = value ? sizes(formula, *value) : std::nullopt;
  if (!global) return;
  if (global->size() != static_cast<std::size_t>(spec_.work_dimension)) {
    problem(formula, "found " + std::to_string(global->size()) + " dimensions, expected " +
                         std::to_string(spec_.work_dimension) + " as workDimension says");
  } else if (too_many(*global)) {
    problem(formula,
            "found " + value->text() + with_values(formula) + ", expected at most 2^40 work-items");
  } else {
    bound.global = *std::move(global);
  }
}

/// The graph format's symbol `localWorkSize` stands for the whole attribute: a number counts in
/// every dimension.
std::optional<std::vector<std::uint64_t>> Binder::local_sizes(std::size_t dimensions) {
  const auto symbol = symbols_.find("localWorkSize");
  if (spec_.dialect == SpecDialect::concurrent && symbol != symbols_.end()) {
    const Formula given{symbol->second.text(), std::nullopt, symbol->second, 0, "localWorkSize"};
    auto local = sizes(given, symbol->second);
    if (local && !symbol->second.is_list()) local->assign(dimensions, local->front());
    return local;
  }
  const auto value = evaluate(*spec_.local_work_size, Position::geometry);
  return value ? sizes(*spec_.local_work_size, *value) : std::nullopt;
}

// OpenCL 1.2 requires groups that divide the range. Without this check the driver says only
// "invalid work group size".
void Binder::bind_local(BoundSpec& bound) {
  const bool by_symbol =
      spec_.dialect == SpecDialect::concurrent && symbols_.count("localWorkSize") != 0;
  if (!by_symbol && !spec_.local_work_size) {
    bound.local = default_local_size(bound.global);
    bound.local_is_default = true;
    return;
  }
  auto local = local_sizes(bound.global.size());
  if (!local || bound.global.empty()) return;
  const Formula& formula = spec_.local_work_size ? *spec_.local_work_size : spec_.global_work_size;
  if (local->size() != bound.global.size()) {
    problem(formula, "found " + std::to_string(local->size()) +
                         " dimensions in localWorkSize, expected " +
                         std::to_string(bound.global.size()) + " as in globalWorkSize");
    return;
  }
  for (std::size_t i = 0; i < local->size(); ++i) {
    if (bound.global[i] % (*local)[i] == 0) continue;
    // Either size may be the wrong one, so a default value in either of them makes it a warning.
    problem(formula, "found " + std::to_string((*local)[i]) + " work-items a group in dimension " +
                         std::to_string(i) + with_values(formula) +
                         ", expected a divisor of the global size " +
                         std::to_string(bound.global[i]));
    problems_.back().by_default |= uses_default(spec_.global_work_size);
  }
  bound.local = *std::move(local);
}

// The sum is bounded too: a thousand buffers below the bound would exhaust any machine.
void Binder::bind_buffers(BoundSpec& bound) {
  std::uint64_t sum = 0;
  for (const auto& buffer : spec_.buffers) {
    std::optional<std::uint64_t> chunk;
    if (buffer.chunk)
      if (const auto value = evaluate(*buffer.chunk, Position::geometry))
        chunk = positive(*buffer.chunk, *value);
    auto argument =
        sized(buffer.size, buffer.position, static_cast<ArgumentKind>(buffer.role), buffer.type);
    if (!argument) continue;
    sum += argument->bytes;
    if (sum > size_limit)
      return problem(buffer.size,
                     "found buffers of more than 2^40 bytes together, expected at most that");
    argument->sliceable = buffer.sliceable;
    argument->chunk = chunk;
    bound.arguments.push_back(*std::move(argument));
  }
}

void Binder::bind_locals(BoundSpec& bound) {
  for (const auto& local : spec_.local_arguments)
    if (auto argument = sized(local.size, local.position, ArgumentKind::local, local.type))
      bound.arguments.push_back(*std::move(argument));
}

// Evaluated for a run on whole buffers.
void Binder::bind_values(BoundSpec& bound) {
  for (const auto& var : spec_.var_arguments) {
    const auto value = evaluate(var.value, Position::value);
    if (!value) continue;
    auto bytes = to_bytes(var.type, *value);
    if (!bytes) {
      problem(var.value, bytes.error().message() + with_values(var.value));
      continue;
    }
    bound.arguments.push_back({.position = var.position,
                               .kind = ArgumentKind::scalar,
                               .type = var.type,
                               .bytes = bytes->size(),
                               .value = *std::move(bytes)});
  }
}

// Whole identifiers are replaced, where the concurrent program replaces any substring: on published
// files that gives the same, and a symbol `n` does not rewrite `int`.
void Binder::bind_macros(BoundSpec& bound) {
  for (const auto& macro : spec_.macros) {
    Formula at{macro.text, std::nullopt, {}, macro.line, "macros_values." + macro.name};
    std::string text;
    std::size_t copied = 0;
    bool skipped = false;
    for_each_identifier(macro.text, [&](std::size_t start, std::string_view name) {
      const auto symbol = symbols_.find(std::string(name));
      const bool is_partition = name == "partition";
      if (symbol == symbols_.end() && !is_partition) {
        // A word that is no symbol is C: a type, another macro. But a macro whose text is only its
        // own name was meant to get a value.
        const bool self = name == macro.name && macro.text == macro.name;
        if (self && missing_.count(macro.name) == 0) {
          problem(at, "found the symbol '" + macro.name + "' without a value, expected --set " +
                          macro.name + "=…");
        }
        skipped |= self || missing_.count(std::string(name)) != 0;
        return;
      }
      const expr::Value value = is_partition ? expr::Value(partition_) : symbol->second;
      if (value.is_list()) {
        problem(at, "found the symbol '" + std::string(name) + "' with a list, expected a number");
        skipped = true;
        return;
      }
      text.append(macro.text, copied, start - copied).append(as_c(value, macro.text, name));
      copied = start + name.size();
    });
    if (skipped) continue;
    text.append(macro.text, copied);
    bound.macros.emplace_back(macro.name, std::move(text));
  }
}

void Binder::bind_specialization(BoundSpec& bound) {
  for (const auto& [constant, formula] : spec_.specialization) {
    auto value = evaluate(formula, Position::geometry);
    if (!value) continue;
    if (value->is_number())
      bound.specialization.push_back({constant, *std::move(value)});
    else
      problem(formula, "found " + quote(formula.text) + " = " + value->text().substr(0, 60) +
                           ", expected a number");
  }
}

BoundSpec Binder::bind() {
  BoundSpec bound;
  bound.dialect = spec_.dialect;
  bound.symbols = symbols_;
  bound.partition = partition_;
  bind_global(bound);
  bind_local(bound);
  bind_buffers(bound);
  bind_locals(bound);
  bind_values(bound);
  bind_macros(bound);
  bind_specialization(bound);
  std::sort(bound.arguments.begin(), bound.arguments.end(),
            [](const auto& a, const auto& b) { return a.position < b.position; });
  // The option changes results, so only who asks for the concurrent program's way gets it.
  if (spec_.dialect_was_asked && spec_.dialect == SpecDialect::concurrent) {
    bound.options.push_back("-cl-mad-enable");
  }
  return bound;
}

Expected<BoundSpec> bind(const Spec& spec, const Symbols& symbols, const BindOptions& options) {
  std::vector<BindProblem> problems;
  Binder binder(spec, symbols, options, problems);
  if (problems.empty() && !binder.missing().empty()) {
    return fail(Errc::bad_input, missing_message(spec, binder.missing()).render());
  }
  BoundSpec bound = binder.bind();
  if (problems.empty()) return bound;
  return fail(Errc::bad_input, problems.front().message.render());
}

}  // namespace kiln::spec
