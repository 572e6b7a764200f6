#include "kernel/traits/driver_findings.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "base/data/byte_fields.hpp"
#include "base/data/digest.hpp"
#include "base/log.hpp"
#include "device/pinned_workers.hpp"
#include "store/key/canonical.hpp"

namespace kiln {
namespace {

constexpr std::uint32_t schema = 1;

struct Row {
  std::string name;
  Finding finding;
};
constexpr auto rows_fields = [](auto& to, auto& rows) {
  to.list("findings", rows, 9, [&](auto& row) {
    to.field("name", row.name);
    to.field("holds", row.finding.holds);
    to.field("reason", row.finding.reason);
  });
};

Bytes encode(const Findings& findings) {
  std::vector<Row> rows;
  for (const auto& [name, finding] : findings) rows.push_back({name, finding});
  return bytes_by(rows_fields, rows);
}

Expected<Findings> decode(ByteView bytes) {
  return read_by<std::vector<Row>>(rows_fields, bytes, "findings").map([](const auto& rows) {
    Findings findings;
    for (const auto& row : rows) findings[row.name] = row.finding;
    return findings;
  });
}

Bytes canonical_of(std::string_view topic, const Device& device) {
  CanonicalWriter writer(findings_schema, 1);
  writer.text("topic", topic).text("device", device.fingerprint()).text("host", host_identity());
  return writer.view();
}

/// The findings that the store has of a topic and device; none where there is no such entry.
Findings stored(Layer& store, ByteView canonical) {
  const auto lookup = store.get(Kind::record, key_of(canonical), canonical);
  if (!lookup.entry || lookup.entry->metadata.schema != schema) return {};
  if (lookup.entry->metadata.made_elsewhere) return {};  // of another machine, whoever says so
  return decode(lookup.entry->content).value_or(Findings{});
}

/// What a process without a store remembers, by the canonical bytes of topic and device.
struct ProcessMemory {
  std::mutex mutex;
  std::map<Bytes, Findings> all;
};
ProcessMemory& process_memory() {
  static ProcessMemory memory;
  return memory;
}

Findings lasting(Findings findings) {
  std::erase_if(findings, [](const auto& item) { return !item.second.lasts; });
  return findings;
}

}  // namespace

DriverFindings::Subject& DriverFindings::subject(std::string_view topic, const Device& device) {
  const std::lock_guard lock(mutex_);
  return subjects_[fmt::format("{}|{}", topic, device.fingerprint())];
}

Findings& DriverFindings::load(Subject& subject, std::string_view topic, const Device& device) {
  const bool was_loaded = std::exchange(subject.is_loaded, true);
  if (was_loaded && !shares_) return subject.findings;
  const Bytes canonical = canonical_of(topic, device);
  if (shares_) {
    const std::lock_guard lock(process_memory().mutex);
    Findings of_process = process_memory().all[canonical];
    subject.findings.merge(of_process);
  } else if (store_ != nullptr) {
    subject.findings = stored(*store_, canonical);
  }
  return subject.findings;
}

void DriverFindings::keep(std::string_view topic, const Device& device, const Findings& findings) {
  const Findings kept_ones = lasting(findings);
  if (kept_ones.empty()) return;
  const Bytes canonical = canonical_of(topic, device);
  if (shares_) {
    const std::lock_guard lock(process_memory().mutex);
    for (const auto& [name, finding] : kept_ones)
      process_memory().all[canonical].insert_or_assign(name, finding);
  }
  if (store_ == nullptr) return;
  // Another process may have found something else meanwhile: both are kept.
  const auto change = [&](const std::optional<Entry>& present) -> std::optional<Entry> {
    Findings all = kept_ones;
    if (present && present->metadata.schema == schema)
      all.merge(decode(present->content).value_or(Findings{}));
    return Entry{encode(all),
                 {schema, fmt::format("{} of the driver", topic), device.fingerprint(), 0}};
  };
  if (auto kept = store_->update(Kind::record, key_of(canonical), canonical, change); !kept)
    log(LogLevel::info,
        fmt::format("what was found of {} is not kept: {}", device.name, kept.error().message()));
}

Findings DriverFindings::get(
    std::string_view topic, const Device& device, const std::vector<std::string>& names,
    const std::function<Findings(const std::vector<std::string>&)>& probe) {
  Subject& asked = subject(topic, device);
  const std::lock_guard lock(asked.mutex);
  Findings& all = load(asked, topic, device);
  std::vector<std::string> unknown;
  std::copy_if(names.begin(), names.end(), std::back_inserter(unknown),
               [&](const std::string& name) { return !all.contains(name); });
  if (unknown.empty()) return all;
  // Of processes that start together one tries; the others wait a while and read what it found.
  constexpr std::chrono::seconds longest_wait{60};
  Reservation right;
  if (store_ != nullptr) {
    const Bytes canonical = canonical_of(topic, device);
    right = store_->reserve(key_of(canonical), longest_wait);
    if (right.waited()) {
      Findings of_others = stored(*store_, canonical);
      all.merge(of_others);
      std::erase_if(unknown, [&](const std::string& name) { return all.contains(name); });
      if (unknown.empty()) return all;
    }
  }
  Findings found = probe(unknown);
  keep(topic, device, found);
  found.merge(all);
  return all = std::move(found);
}

Findings DriverFindings::known(std::string_view topic, const Device& device) {
  Subject& asked = subject(topic, device);
  const std::lock_guard lock(asked.mutex);
  return load(asked, topic, device);
}

const std::string& host_identity() {
  static const std::string identity = [] {
    // The first processor's lines say what all of them can do.
    std::ifstream file("/proc/cpuinfo");
    std::string line, abilities;
    while (std::getline(file, line) && !line.empty())
      if (line.starts_with("flags") || line.starts_with("Features"))
        abilities = line.substr(line.find(':') + 1);
    return fmt::format("glibc {}, processor {}", ::gnu_get_libc_version(),
                       blake2b(as_bytes(abilities)).brief());
  }();
  return identity;
}

// Threads.

namespace {

constexpr const char* native_kernels = "native kernels";

Finding try_workers(const Context& context, const DevicePtr& device) {
  const WorkersSeen seen = look_at_workers(context, device);
  if (seen.on_caller)
    return {false, "functions run on the thread that waits for them, which is not the driver's"};
  // A busy machine hides threads; what a later process sees may be all of them.
  return {true, fmt::format("on {} threads of {}", seen.threads, device->compute_units),
          seen.threads == device->compute_units};
}

}  // namespace

void pin_workers_as_found(DriverFindings& findings, const Context& context,
                          const DevicePtr& device) {
  try {
    if (!has_workers_to_pin(*device)) return;
    const auto found = findings.get(topics::threads, *device, {native_kernels}, [&](const auto&) {
      return Findings{{native_kernels, try_workers(context, device)}};
    });
    const auto answer = found.find(native_kernels);
    if (answer != found.end() && answer->second.holds) pin_workers(context, device);
  } catch (const std::exception&) {
    log_failure("the driver's threads are not pinned");
  }
}

}  // namespace kiln
