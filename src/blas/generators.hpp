#pragma once

#include "kernel/resolver.hpp"

namespace kiln::blas {

/// Registers every family of BLAS kernels. To be called once a Resolver.
void add_generators(Resolver& resolver);

}  // namespace kiln::blas
