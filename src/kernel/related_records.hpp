#pragma once

#include "kernel/record_subject.hpp"
#include "kernel/tuning_record.hpp"
#include "store/layer.hpp"

/// What other drivers, and devices of the same model, have on record: where a device has nothing
/// of its own. One entry of the store for each family, problem class and model, so that asking for
/// it is one look-up, in the fleet's store, too.
namespace kiln {

/// A measurement with the rest of its subject.
struct RelatedMeasurement {
  std::int64_t version = 0;  ///< of the family's generator
  std::string device;        ///< Device::speed_identity()
  Measurement measurement;
  bool operator==(const RelatedMeasurement&) const = default;
};
using RelatedRecords = std::vector<RelatedMeasurement>;

/// The model that an identity names: its third part; all of it where it has no parts.
std::string model_of(const std::string& speed_identity);
/// Its last part: "8 units".
std::string units_of(const std::string& speed_identity);

/// "parameters of a model": family, problem class and model.
Bytes canonical_of_related(const RecordSubject& subject);
inline constexpr std::uint32_t related_records_schema = 1;
/// At most so many of an entry, the latest last: one for each device, version and size.
inline constexpr std::size_t most_related = 64;

/// Layout: u32 count, then for each: i64 version, text device, and u32 length and bytes of a
/// TuningRecord of one measurement.
Bytes encode(const RelatedRecords& records);
/// Nothing for bytes that are none.
std::optional<RelatedRecords> decode_related_records(ByteView bytes);

/// Those of a subject's model; none where there are none or they are damaged.
RelatedRecords related_records(Layer& store, const RecordSubject& subject);

/// Adds to them those of Kiln's own measurements that were compared with the built-in Parameters:
/// others say nothing to anybody else. Errors: the layer's.
Expected<void> add_to_related(Layer& store, const RecordSubject& subject,
                              const std::vector<Measurement>& measurements);

}  // namespace kiln
