#pragma once

#include "cli/command.hpp"

/// `kiln blas …`: what a call of BLAS comes to, and how fast it is.
namespace kiln::cli {

class Context;

extern const Command blas_explain_command, blas_bench_command;

int blas_explain(Context& context);
int blas_bench(Context& context);

}  // namespace kiln::cli
