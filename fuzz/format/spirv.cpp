#include "kiln/formats/spirv.hpp"

#include <cstdlib>

#include "base/data/bytes.hpp"

using namespace kiln;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

// Whatever the bytes are, they are refused in one line, or give a module that is the same in both
// byte orders and whose constants can be set.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto module = spirv::parse(bytes);
  if (!module) {
    require(!module.error().message().empty());
    require(module.error().message().find('\n') == std::string::npos);
    return 0;
  }
  require(spirv::is_module(bytes));
  const Bytes words = spirv::little_endian(bytes);
  require(spirv::parse(words).has_value());
  std::vector<spirv::Setting> settings;
  for (const spirv::Constant& one : module->constants)
    settings.push_back({one.id, one.kind, one.bits,
                        one.kind == spirv::ConstantKind::boolean ? 1 - one.value : one.value ^ 1});
  const auto made = spirv::specialize(bytes, settings);
  require(made.has_value() && made->size() == words.size());
  const auto again = spirv::parse(*made);
  require(again.has_value() && again->kernels.size() == module->kernels.size());
  for (const spirv::Setting& one : settings) require(again->constant(one.id)->value == one.value);
  return 0;
}
