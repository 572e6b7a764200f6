// Records of what applications build, on arbitrary bytes: refused, or a record that is written and
// read again as the same; and the names of their entries. The first byte says which.
#include <cstdlib>

#include "layer/program/usage_record.hpp"

using namespace kiln;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_record(ByteView bytes) {
  layer::StoredUsage usage(Bytes(bytes.begin(), bytes.end()));
  require(usage.content().size() <= bytes.size());
  const auto record = layer::decode_usage(bytes);
  if (!record) return;
  require(record->size() <= bytes.size());
  const auto again = layer::decode_usage(layer::encode(*record));
  require(again.has_value() && *again == *record);
  for (const auto& program : *record) {
    require(usage.program(program.artifact) == program);
    require(!usage.add(program));
  }
}

void check_name(ByteView bytes) {
  const auto program = layer::program_of_usage(bytes);
  if (program) require(layer::program_of_usage(layer::canonical_of_usage(*program)) == *program);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  data[0] % 2 == 0 ? check_record(bytes) : check_name(bytes);
  return 0;
}
