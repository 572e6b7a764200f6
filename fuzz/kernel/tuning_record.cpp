// Tuning records of a store on arbitrary bytes: nothing, or a record that is written as the same
// bytes; and the subjects of their entries. The first byte says which.
#include <cstdlib>
#include <cstring>

#include "kernel/request/stored_record.hpp"

using namespace kiln;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_record(ByteView bytes) {
  const auto record = decode_tuning_record(bytes);
  if (!record) return;
  require(record->history.size() <= bytes.size());
  // Names that stand twice in one set are one, so the bytes may differ; what they say may not.
  const Bytes again = encode(*record);
  const auto same = decode_tuning_record(again);
  require(same.has_value() && encode(*same) == again);
  const auto any = [](const Measurement&) { return true; };
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, INT64_MAX, INT64_MIN})
    (void)record->best(size, any);
  TuningRecord grown = *record;
  if (!record->history.empty()) grown.add(record->history.front());
  require(grown.history.size() <=
          std::max(record->history.size(), TuningRecord::most_measurements));
}

void check_subject(ByteView bytes) {
  const auto subject = record_subject_of(bytes);
  if (!subject) return;
  const auto again = record_subject_of(canonical_of(*subject));
  require(again.has_value() && *again == *subject);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  data[0] % 2 == 0 ? check_record(bytes) : check_subject(bytes);
  return 0;
}
