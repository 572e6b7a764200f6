#include "format/poclbin.hpp"

#include <cstdlib>

using namespace kiln;

// Whatever the bytes are, they are refused or written back as they were, and what the other
// functions make of an accepted archive is accepted again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  // Objects are seldom reached through an archive, so the bytes are tried as one, too.
  (void)poclbin::check_object(bytes, "k");
  const auto archive = poclbin::parse(bytes);
  if (!archive) {
    if (archive.error().message().empty()) std::abort();
    return 0;
  }
  const Bytes written = poclbin::write(*archive);
  if (as_text(written) != as_text(bytes)) std::abort();
  const auto merged = poclbin::merge(bytes, bytes);
  if (!merged || as_text(*merged) != as_text(bytes)) std::abort();
  const auto is_root = [](std::string_view path) { return path.find('/', 1) == path.npos; };
  if (!poclbin::parse(poclbin::rewrite(*archive, archive->build_hash, is_root))) std::abort();
  for (const auto& kernel : archive->kernels) {
    if (archive->find(kernel.name) != &kernel) std::abort();
    (void)poclbin::variants(kernel);
    for (const auto& file : kernel.files) (void)poclbin::check_object(file.content, kernel.name);
  }
  return 0;
}
