#pragma once

#include <string>

#include "blas/tune/blas_tunable.hpp"

/// What `kiln tune` is asked to tune, on which device.
namespace kiln::cli {

class Context;

/// Whether a word names a specification file or a tuning problem, not a routine of BLAS.
bool is_specification(const std::string& word);

/// The device of --device, and the store's and the compiler's options.
blas::SearchPlace search_place(const Context& context);

/// A routine of BLAS, or a specification file (a word that ends in .json, or that is a file) with
/// --param. Loads no driver into this process: it looks at the device in a child. Throws Error.
tune::SearchTask search_task(const Context& context);

}  // namespace kiln::cli
