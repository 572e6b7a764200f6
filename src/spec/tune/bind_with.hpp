#pragma once

#include "kernel/parameters.hpp"
#include "kiln/spec.hpp"

namespace kiln::spec {

/// Binds a spec with tuned values: each becomes the symbol of its name, where the file uses one,
/// and a macro -DNAME=value of the kernel, in place of the file's macro of that name. A symbol that
/// `symbols` sets itself keeps that value. Errors as bind().
Expected<BoundSpec> bind_with(const Spec& spec, const Symbols& symbols,
                              const Parameters& parameters, const BindOptions& options = {});

/// What a bound spec has for a name now: its macro's value, else its symbol's; nothing where that
/// is no whole number.
std::optional<std::int64_t> whole_value(const BoundSpec& bound, const std::string& name);

}  // namespace kiln::spec
