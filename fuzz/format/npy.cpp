#include "kiln/formats/npy.hpp"

#include <cstdlib>

#include "base/data/bytes.hpp"

using namespace kiln;

// Whatever the bytes are, they are refused or give an array whose size fits its shape, and which
// writing and reading again gives back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto npy = npy::parse({reinterpret_cast<const std::byte*>(data), size});
  if (!npy) {
    if (npy.error().message().empty()) std::abort();
    return 0;
  }
  std::size_t elements = npy->element_size;
  for (const std::size_t extent : npy->shape) elements *= extent;
  if (elements != npy->data.size() || npy->element_size != npy::size_of(npy->type)) std::abort();
  const Bytes written = npy::write(npy->type, npy->shape, npy->data);
  const auto again = npy::parse(written);
  if (!again || again->shape != npy->shape || again->type != npy->type ||
      as_text(again->data) != as_text(npy->data))
    std::abort();
  return 0;
}
