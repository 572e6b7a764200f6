#include "kernel/related_records.hpp"

#include <algorithm>

#include "base/cursor.hpp"

namespace kiln {
namespace {

void append_text(Bytes& to, const std::string& text) {
  append_le(to, static_cast<std::uint32_t>(text.size()));
  append(to, text);
}

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
    append_text(bytes, record.device);
    const Bytes one = encode(TuningRecord{{record.measurement}});
    append_le(bytes, static_cast<std::uint32_t>(one.size()));
    append(bytes, ByteView(one));
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
