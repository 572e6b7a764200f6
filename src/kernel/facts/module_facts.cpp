#include "kernel/facts/module_facts.hpp"

#include <fmt/format.h>

#include "base/data/text.hpp"

namespace kiln {
namespace {

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

Expected<const spirv::Kernel*> kernel_of(const spirv::Module& module, std::string_view kernel,
                                         std::string_view name) {
  if (const spirv::Kernel* found = module.find(kernel)) return found;
  std::string names;
  for (const spirv::Kernel& one : module.kernels) names += (names.empty() ? "" : ", ") + one.name;
  return fail(Errc::bad_input, fmt::format("{} has no kernel '{}'; it has: {}", name, kernel,
                                           names.empty() ? "none" : names));
}

std::string constants_text(const spirv::Module& module) {
  constexpr std::size_t shown = 20;
  std::string text;
  for (std::size_t i = 0; i < module.constants.size() && i < shown; ++i) {
    const spirv::Constant& one = module.constants[i];
    text += fmt::format("{}{} ({}{}{})", text.empty() ? "" : ", ", one.id, one.type_name(),
                        one.name.empty() ? "" : ", ", one_line(one.name));
  }
  if (module.constants.size() > shown) text += ", …";
  return text.empty() ? "none" : text;
}

}  // namespace kiln
