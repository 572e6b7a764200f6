#pragma once

#include <memory>
#include <string>
#include <vector>

#include "blas/template/template_generator.hpp"

namespace kiln::blas {

/// A generator for every template, with its version and default Parameters.
std::vector<std::unique_ptr<Generator>> template_generators();

/// The version of a template's generator, for Requests. Throws internal for an unknown name.
std::int64_t template_version(const std::string& name);

}  // namespace kiln::blas
