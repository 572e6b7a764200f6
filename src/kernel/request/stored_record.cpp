#include "kernel/request/stored_record.hpp"

#include <algorithm>
#include <tuple>

#include "base/data/cursor.hpp"
#include "store/key/canonical.hpp"

namespace kiln {

// Records of a device.

namespace {

constexpr std::string_view schema_name = "parameters";
constexpr std::int64_t schema_version = 1;
constexpr std::uint32_t parameters_schema = 1, untimed_schema = 2;

std::optional<Parameters> decode_parameters(ByteView bytes) {
  Cursor in(bytes, "parameters");
  Parameters parameters;
  while (in.left() > 0) {
    auto name = in.text("name");
    parameters.set(name, in.number<std::int64_t>("value"));
  }
  return in.ok() ? std::optional(parameters) : std::nullopt;
}

/// Device::speed_identity() is its fingerprint and the compute units.
std::string fingerprint_of(const std::string& speed_identity) {
  return speed_identity.substr(0, speed_identity.rfind('|'));
}

}  // namespace

Bytes canonical_of(const RecordSubject& subject) {
  CanonicalWriter writer(schema_name, schema_version);
  writer.text("family", subject.family)
      .integer("version", subject.version)
      .text("problem class", subject.problem_class)
      .text("device", subject.device);
  return writer.view();
}

std::optional<RecordSubject> record_subject_of(ByteView canonical) {
  const auto fields = CanonicalFields::read(canonical);
  if (!fields) return std::nullopt;
  const auto* family = fields->text("family");
  const auto* problem_class = fields->text("problem class");
  const auto* device = fields->text("device");
  if (family == nullptr || problem_class == nullptr || device == nullptr) return std::nullopt;
  RecordSubject subject{*family, 0, *problem_class, *device};
  // The schema's version stands before the family's, under the same name.
  const auto versions = fields->integers("version");
  if (versions.size() != 2) return std::nullopt;
  subject.version = versions[1];
  const Bytes again = canonical_of(subject);
  return std::equal(again.begin(), again.end(), canonical.begin(), canonical.end())
             ? std::optional(std::move(subject))
             : std::nullopt;
}

std::optional<TuningRecord> tuning_record_of(const Entry& entry) {
  if (entry.metadata.schema == tuning_record_schema) return decode_tuning_record(entry.content);
  if (entry.metadata.schema == untimed_schema) return decode_tuning_record(entry.content, false);
  if (entry.metadata.schema != parameters_schema) return std::nullopt;
  auto parameters = decode_parameters(entry.content);
  if (!parameters) return std::nullopt;
  return TuningRecord{{Measurement{std::move(*parameters), 0, 0, {}, {}, {}}}};
}

Expected<std::size_t> add_to_record(Layer& store, const RecordSubject& subject,
                                    const std::vector<Measurement>& measurements) {
  const Bytes canonical = canonical_of(subject);
  std::size_t added = 0;
  const auto change = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
    added = 0;
    TuningRecord record;
    if (present) record = tuning_record_of(*present).value_or(TuningRecord{});
    for (const auto& one : measurements) {
      if (std::any_of(record.history.begin(), record.history.end(),
                      [&](const Measurement& known) { return known.is_of_same(one); }))
        continue;
      record.add(one);
      ++added;
    }
    if (added == 0) return std::nullopt;
    return Entry{encode(record),
                 {tuning_record_schema, subject.family, fingerprint_of(subject.device), 0}};
  };
  if (auto done = store.update(Kind::record, key_of(canonical), canonical, change); !done)
    return tl::unexpected(done.error());
  return added;
}

Expected<std::vector<StoredRecord>> stored_records(LocalStore& store) {
  const auto entries = store.list();
  if (!entries) return tl::unexpected(entries.error());
  std::vector<StoredRecord> records;
  for (const auto& entry : *entries) {
    if (entry.kind != Kind::record) continue;
    const auto canonical = store.canonical_of(entry.kind, entry.key);
    if (!canonical) continue;  // removed since
    auto subject = record_subject_of(*canonical);
    if (!subject) continue;  // a record of something else
    const auto found = store.look_up(entry.kind, entry.key, *canonical);
    auto record = found.entry ? tuning_record_of(*found.entry) : std::nullopt;
    if (!record) continue;
    records.push_back({entry.key, *std::move(subject), *std::move(record), entry.created,
                       entry.metadata.made_elsewhere});
  }
  const auto order = [](const StoredRecord& one) {
    return std::tie(one.subject.family, one.subject.problem_class, one.subject.device,
                    one.subject.version);
  };
  std::sort(records.begin(), records.end(),
            [&](const StoredRecord& a, const StoredRecord& b) { return order(a) < order(b); });
  return records;
}

// Records of a model.

namespace {

bool is_of_same(const RelatedMeasurement& a, const RelatedMeasurement& b) {
  return a.version == b.version && a.device == b.device && a.measurement.size == b.measurement.size;
}

}  // namespace

std::string model_of(const std::string& speed_identity) {
  std::string_view rest = speed_identity;
  for (int part = 0; part < 2; ++part) {
    const auto bar = rest.find('|');
    if (bar == rest.npos) return speed_identity;
    rest.remove_prefix(bar + 1);
  }
  return std::string(rest.substr(0, rest.find('|')));
}

std::string units_of(const std::string& speed_identity) {
  const auto bar = speed_identity.rfind('|');
  return bar == std::string::npos ? "" : speed_identity.substr(bar + 1);
}

Bytes canonical_of_related(const RecordSubject& subject) {
  CanonicalWriter writer("parameters of a model", 1);
  writer.text("family", subject.family)
      .text("problem class", subject.problem_class)
      .text("model", model_of(subject.device));
  return writer.view();
}

Bytes encode(const RelatedRecords& records) {
  Bytes bytes;
  append_le(bytes, static_cast<std::uint32_t>(records.size()));
  for (const auto& record : records) {
    append_le(bytes, record.version);
    append_block(bytes, record.device);
    append_block(bytes, encode(TuningRecord{{record.measurement}}));
  }
  return bytes;
}

std::optional<RelatedRecords> decode_related_records(ByteView bytes) {
  Cursor in(bytes, "related records");
  RelatedRecords records;
  for (auto left = in.count(16, "records"); left > 0 && in.ok(); --left) {
    RelatedMeasurement related;
    related.version = in.number<std::int64_t>("version");
    related.device = in.text("device");
    auto one = decode_tuning_record(in.block("measurement"));
    if (!one || one->history.size() != 1) return std::nullopt;
    related.measurement = std::move(one->history.front());
    records.push_back(std::move(related));
  }
  in.expect_end();
  return in.ok() ? std::optional(std::move(records)) : std::nullopt;
}

RelatedRecords related_records(Layer& store, const RecordSubject& subject) {
  const Bytes canonical = canonical_of_related(subject);
  const auto found = store.get(Kind::record, key_of(canonical), canonical);
  if (!found.entry || found.entry->metadata.schema != related_records_schema) return {};
  return decode_related_records(found.entry->content).value_or(RelatedRecords{});
}

Expected<void> add_to_related(Layer& store, const RecordSubject& subject,
                              const std::vector<Measurement>& measurements) {
  RelatedRecords news;
  for (const auto& one : measurements)
    if (one.of == Measurement::Of::kiln && one.gain() > 0)
      news.push_back({subject.version, subject.device, one});
  if (news.empty()) return {};
  // Not update(): that stays on this machine, and these are for others.
  RelatedRecords all = related_records(store, subject);
  for (auto& one : news) {
    std::erase_if(all, [&](const RelatedMeasurement& known) { return is_of_same(known, one); });
    all.push_back(std::move(one));
  }
  if (all.size() > most_related)
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most_related));
  const Bytes canonical = canonical_of_related(subject);
  // The fingerprint stays empty: an update of the driver must not make it stale.
  return store.put(Kind::record, key_of(canonical), canonical, encode(all),
                   {related_records_schema, subject.family, "", 0});
}

}  // namespace kiln
