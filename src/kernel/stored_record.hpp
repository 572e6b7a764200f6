#pragma once

#include "kernel/record_subject.hpp"
#include "kernel/tuning_record.hpp"
#include "store/local_store.hpp"

/// How tuning records lie in a store.
namespace kiln {

/// Of an entry's content; 1 held the Parameters of one measurement and nothing else, 2 lacked the
/// times of the built-in Parameters.
inline constexpr std::uint32_t tuning_record_schema = 3;
/// The record of an entry, of any of these schemas; nothing where it is none.
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

}  // namespace kiln
