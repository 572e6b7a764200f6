#pragma once

#include <string_view>

namespace kiln::blas {

/// The text of templates/NAME.cl; empty where there is no such file.
std::string_view template_text(std::string_view name);

}  // namespace kiln::blas
