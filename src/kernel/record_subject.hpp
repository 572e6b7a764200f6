#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.hpp"

namespace kiln {

/// What a record is of: all that its Key is made of.
struct RecordSubject {
  std::string family;
  std::int64_t version = 0;  ///< of the family's generator
  std::string problem_class;
  std::string device;  ///< Device::speed_identity()
  bool operator==(const RecordSubject&) const = default;
};

Bytes canonical_of(const RecordSubject& subject);
/// The subject of an entry's canonical bytes; nothing where they are of something else.
std::optional<RecordSubject> record_subject_of(ByteView canonical);

}  // namespace kiln
