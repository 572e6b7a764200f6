#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernel/facts/safety.hpp"
#include "kernel/source/program.hpp"

namespace kiln::safety {

/// What a name that the program does not define means for a split run.
enum class Rule : std::uint8_t {
  none,
  per_dimension,  ///< fine for dimension 1 and 2, which are never cut: get_group_id …
  linear,         ///< counts over all dimensions: get_global_linear_id
  atomic,         ///< atomic_add, atom_inc …
  atomic_type,    ///< atomic_int …
  pipe,
  enqueue,
  image_write,
  print,
  unknown_id,  ///< looks like some vendor's way to ask for a group or the whole range
  reserved,    ///< a reserved name that Kiln does not know, which may be anything
};
Rule rule_of(std::string_view name);

/// What a function does with the memory that its pointer arguments point to.
enum class MemoryUse : std::uint8_t {
  unknown,       ///< not in this list
  none,          ///< takes no pointers, or does not follow them
  vector_load,   ///< vloadN(offset, p)
  vector_store,  ///< vstoreN(data, offset, p)
  group_copy,    ///< async_work_group_copy(to, from, …)
  write_last,    ///< fract(x, p): writes through its last argument
  pass_through,  ///< to_global(p): the same address
  atomic,
  image_read,
  global_id,  ///< get_global_id
};
MemoryUse memory_use_of(std::string_view name);

/// One program under analysis: its tokens, what stands at program scope, and what the kernel
/// reaches. Holds views into the text.
class Unit {
 public:
  Unit(std::string_view text, std::string_view kernel,
       const std::vector<std::pair<std::string, std::string>>& macros);

  const Preprocessed source;
  const SourceProgram program;
  std::vector<std::uint32_t> kernels;    ///< definitions of the kernel (branches may hold several)
  std::vector<std::uint32_t> reachable;  ///< functions that it may call, itself included
  /// Brackets cannot be matched for certain, so that all text counts as reachable.
  bool whole_text = false;

  const std::vector<std::uint32_t>* functions_named(std::uint32_t symbol) const;
  /// A program-scope variable of this name that can change.
  bool is_mutable_variable(std::uint32_t symbol) const { return mutable_.contains(symbol); }
  Rule rule(const Token& token) const {
    return token.kind == TokenKind::identifier ? rules_[token.code] : Rule::none;
  }
  MemoryUse memory_use(const Token& name) const { return uses_[name.code]; }
  std::string_view name(std::uint32_t symbol) const { return source.symbols.name(symbol); }

  /// "line 12", or "util.h line 3" where that is not the program's main file.
  std::string place(const Token& token) const { return place(token.file, token.line); }
  std::string place(std::uint16_t file, std::uint32_t line) const;

 private:
  void find_reachable();
  void reach(std::uint32_t symbol, std::vector<std::uint32_t>& work, std::vector<bool>& seen);

  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_name_;
  std::unordered_set<std::uint32_t> mutable_;
  std::vector<Rule> rules_;      // of each symbol
  std::vector<MemoryUse> uses_;  // of each symbol
};

/// Appends a message unless it is there already or there are many.
void add_message(std::vector<std::string>& messages, std::string message);

/// Looks for everything that behaves differently in a part of an NDRange, in all reachable text.
/// Fills reasons, suspicions, uses_local_memory and uses_atomics.
void check_rules(const Unit& unit, KernelFacts& safety);

/// Its part for declarations that name a function otherwise for the linker than in the text.
void check_linker_names(const Unit& unit, KernelFacts& safety);

/// Follows the kernel's pointers through its text and its functions: what is read, what is written,
/// whether at the same index, and whether loaded values decide it. Fills the parameters,
/// data_dependent_writes and suspicions; where it gives up, every pointer counts as read and
/// written.
void check_flow(const Unit& unit, KernelFacts& safety);

/// The kernel's parameters before anything is known of their use. The unit has a kernel.
std::vector<ParameterUse> describe(const Unit& unit, const std::vector<Parameter>& parameters);

}  // namespace kiln::safety
