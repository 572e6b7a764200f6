#pragma once

#include <vector>

#include "kernel/source/source.hpp"
#include "kiln/spec/file.hpp"

/// What a specification says of its program, held against the program: a SPIR-V module, which says
/// what its kernels take, or OpenCL C.
namespace kiln::spec {

/// What of a spec does not fit its program, in the file's order: the kernel, arguments and
/// constants that a SPIR-V module has, macros that it cannot have. Of a program in OpenCL C, whose
/// words alone are read here: constants, and a kernel that it cannot have. The constants' values
/// are looked at where `bound` is not null.
std::vector<Message> check_program(const Spec& spec, const BoundSpec* bound,
                                   const ExpandedSource& source);

/// The constants' values as the module takes them, sorted by their SpecId. Error: bad_input, the
/// first that does not fit.
Expected<std::vector<spirv::Setting>> settings_of(const Spec& spec, const BoundSpec& bound,
                                                  const ExpandedSource& source);

}  // namespace kiln::spec
