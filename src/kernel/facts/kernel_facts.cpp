#include "kernel/facts/kernel_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/data/byte_fields.hpp"
#include "base/data/text.hpp"
#include "kernel/facts/syntax.hpp"

namespace kiln {
namespace {

/// Bytes that a parameter and a kernel take at least: the lengths of their texts, and flags.
constexpr std::uint64_t parameter_bytes = 7 + 3 * 4 + 16, kernel_bytes = 10 + 5 * 4;

constexpr auto facts_fields = [](auto& to, auto& all) {
  const auto flag = [&](auto& value) { to.field("flag", value); };
  const auto text = [&](auto& value) { to.field("text", value); };
  const auto parameter = [&](auto& use) {
    text(use.name);
    for (auto* one : {&use.is_pointer, &use.is_global, &use.is_constant_space, &use.is_local,
                      &use.read, &use.written, &use.read_and_written_at_different_index})
      flag(*one);
    text(use.element_type);
    to.field("number", use.layout.bytes);
    to.field("number", use.layout.alignment);
    text(use.layout.name);
  };
  to.list("list", all, kernel_bytes, [&](auto& facts) {
    text(facts.name);
    for (auto* one :
         {&facts.found, &facts.splittable, &facts.suspicious, &facts.uses_local_memory,
          &facts.uses_atomics, &facts.uses_barrier, &facts.uses_printf,
          &facts.data_dependent_writes, &facts.reads_what_is_written, &facts.data_dependent_reads})
      flag(*one);
    to.field("number", facts.dimensions);
    for (auto& size : facts.required_local_size) to.field("number", size);
    to.list("list", facts.reasons, 4, text);
    to.list("list", facts.suspicions, 4, text);
    to.list("list", facts.parameters, parameter_bytes, parameter);
  });
};

}  // namespace

Bytes encode(const std::vector<KernelFacts>& facts) { return bytes_by(facts_fields, facts); }

FactsPtr decode_kernel_facts(ByteView bytes) {
  using AllFacts = std::vector<KernelFacts>;
  auto facts = read_by<AllFacts>(facts_fields, bytes, "kernel facts");
  return facts ? std::make_shared<const AllFacts>(*std::move(facts)) : nullptr;
}

const KernelFacts* facts_of(const std::vector<KernelFacts>& all, std::string_view kernel) {
  const auto found =
      std::ranges::find_if(all, [&](const KernelFacts& one) { return one.name == kernel; });
  return found == all.end() ? nullptr : &*found;
}

void add_worse(KernelFacts& facts, const KernelFacts& other) {
  if (facts == other) return;
  for (const auto flag : {&KernelFacts::found, &KernelFacts::splittable})
    facts.*flag = facts.*flag && other.*flag;
  for (const auto flag :
       {&KernelFacts::suspicious, &KernelFacts::uses_local_memory, &KernelFacts::uses_atomics,
        &KernelFacts::uses_barrier, &KernelFacts::uses_printf, &KernelFacts::data_dependent_writes,
        &KernelFacts::reads_what_is_written, &KernelFacts::data_dependent_reads})
    facts.*flag |= other.*flag;
  for (const auto list : {&KernelFacts::reasons, &KernelFacts::suspicions})
    for (const std::string& line : other.*list) facts::add_message(facts.*list, line);
  facts.dimensions = std::max(facts.dimensions, other.dimensions);
  if (facts.required_local_size != other.required_local_size) facts.required_local_size = {};
  // Other parameters are another interface, of which nothing is certain.
  if (facts.parameters.size() != other.parameters.size()) facts.parameters.clear();
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    ParameterUse& use = facts.parameters[i];
    for (const auto flag : {&ParameterUse::read, &ParameterUse::written,
                            &ParameterUse::read_and_written_at_different_index})
      use.*flag |= other.parameters[i].*flag;
    if (use.layout != other.parameters[i].layout) use.layout = {};
  }
}

// Of SPIR-V modules.

namespace {

/// Of each name in a message, bytes: a module may have a megabyte of them.
constexpr std::size_t longest_shown = 100;

/// The first twenty of a list of names; "none" for an empty one.
std::string listed(std::size_t count, const std::function<std::string(std::size_t)>& text_of) {
  constexpr std::size_t most = 20;
  std::string list;
  for (std::size_t i = 0; i < std::min(count, most); ++i) list += (i == 0 ? "" : ", ") + text_of(i);
  if (count > most) list += fmt::format(", … {} more", count - most);
  return list.empty() ? "none" : list;
}

ParameterUse use_of(const spirv::Parameter& parameter) {
  ParameterUse use;
  use.name = parameter.name;
  use.is_global = parameter.space == spirv::Space::global;
  use.is_constant_space = parameter.space == spirv::Space::constant;
  use.is_local = parameter.space == spirv::Space::local;
  use.is_pointer = use.is_global || use.is_constant_space || use.is_local;
  use.read = true;
  use.written = use.is_global || use.is_local || parameter.space == spirv::Space::opaque;
  use.element_type = parameter.type;
  if (use.is_pointer && use.element_type.ends_with('*')) use.element_type.pop_back();
  // Of what a pointer points to compilers know little: LLVM's pointers have no types any more.
  if (!use.is_pointer) use.layout.bytes = parameter.bytes;
  if (use.layout.known()) use.layout.name = builtin_layout(use.element_type).name;
  return use;
}

}  // namespace

KernelFacts module_facts(const spirv::Module& module, std::string_view kernel) {
  KernelFacts facts;
  facts.name = kernel;
  const spirv::Kernel* found = module.find(kernel);
  if (found == nullptr) {
    facts.reasons.push_back("the module has no such kernel");
    return facts;
  }
  facts.found = true;
  facts.reasons.push_back(
      "the program is SPIR-V, and only of OpenCL C is it known what a part of a run would change");
  for (std::size_t d = 0; d < 3; ++d) facts.required_local_size[d] = found->required_local_size[d];
  for (const spirv::Parameter& parameter : found->parameters)
    facts.parameters.push_back(use_of(parameter));
  return facts;
}

std::string names_text(const std::vector<std::string>& names) {
  return listed(names.size(), [&](std::size_t i) { return shortened(names[i], longest_shown); });
}

std::string no_kernel_text(std::string_view program, std::string_view kernel,
                           const std::vector<std::string>& names) {
  return fmt::format("{} has no kernel '{}'; it has: {}", program, shortened(kernel, longest_shown),
                     names_text(names));
}

Expected<const spirv::Kernel*> kernel_of(const spirv::Module& module, std::string_view kernel,
                                         std::string_view name) {
  if (const spirv::Kernel* found = module.find(kernel)) return found;
  std::vector<std::string> names;
  for (const spirv::Kernel& one : module.kernels) names.push_back(one.name);
  return fail(Errc::bad_input, no_kernel_text(name, kernel, names));
}

std::string constants_text(const spirv::Module& module) {
  return listed(module.constants.size(), [&](std::size_t i) {
    const spirv::Constant& one = module.constants[i];
    return fmt::format("{} ({}{}{})", one.id, one.type_name(), one.name.empty() ? "" : ", ",
                       shortened(one.name, longest_shown));
  });
}

}  // namespace kiln
