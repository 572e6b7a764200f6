#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/data/bytes.hpp"
#include "kernel/request/parameters.hpp"
#include "store/layer/layer.hpp"
#include "store/local/local_store.hpp"

// How tuning records lie in a store: those of a device, and those of all devices of a model.
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

/// Of an entry's content; 1 held the Parameters of one measurement and nothing else, 2 lacked the
/// times of the built-in Parameters.
inline constexpr std::uint32_t tuning_record_schema = 3;
/// The record of an entry, of any of these schemas; nothing where the entry holds no record.
std::optional<TuningRecord> tuning_record_of(const Entry& entry);

/// Adds what was measured elsewhere to what a store has on record for a subject: one step against
/// all other writers. What is there already of the same Parameters, size and origin stays.
/// Returns how many were added. Errors: the layer's.
Expected<std::size_t> add_to_record(Layer& store, const RecordSubject& subject,
                                    const std::vector<Measurement>& measurements);

/// A record of a local store.
struct StoredRecord {
  Key key;
  RecordSubject subject;
  TuningRecord record;
  std::int64_t created = 0;  ///< when it was last written: seconds since 1970, UTC
  bool made_elsewhere = false;
};

/// All sound tuning records, by family, problem class, device. Errors: the store's.
Expected<std::vector<StoredRecord>> stored_records(LocalStore& store);

// What other drivers, and devices of the same model, have on record, for where a device has nothing
// of its own. One entry of the store for each family, problem class and model, so that asking for
// it is one look-up, in the fleet's store, too.

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
/// Nothing for bytes that do not hold such records.
std::optional<RelatedRecords> decode_related_records(ByteView bytes);

/// Those of a subject's model; empty where the store has none or they are damaged.
RelatedRecords related_records(Layer& store, const RecordSubject& subject);

/// Adds to them those of Kiln's own measurements that were compared with the built-in Parameters:
/// others say nothing of other devices. Errors: the layer's.
Expected<void> add_to_related(Layer& store, const RecordSubject& subject,
                              const std::vector<Measurement>& measurements);

}  // namespace kiln
