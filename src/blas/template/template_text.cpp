#include "blas/template/template_text.hpp"

namespace kiln::blas {

std::int64_t version_of(std::int64_t number, std::initializer_list<std::uint64_t> marks) {
  // FNV-1a, a word at a time; versions are positive.
  auto mixed = static_cast<std::uint64_t>(number) ^ 0xcbf29ce484222325u;
  for (const auto mark : marks) mixed = (mixed ^ mark) * 0x100000001b3u;
  return static_cast<std::int64_t>(mixed >> 1);
}

}  // namespace kiln::blas
