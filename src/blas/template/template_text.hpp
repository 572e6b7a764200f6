#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace kiln::blas {

/// The text of templates/NAME.cl; empty where there is no such file.
std::string_view template_text(std::string_view name);

/// A number that is another one when the text is: the beginning of its SHA-256.
std::uint64_t template_mark(std::string_view name);

/// The version of a generator that is made of the texts of these marks: a digest, so that nobody
/// need think of raising it. `number` is for what stands in the generator's code.
std::int64_t version_of(std::int64_t number, std::initializer_list<std::uint64_t> marks);

}  // namespace kiln::blas
