// A kernel database of the real size, read and written, against what its sums alone cost with
// zlib, called piece by piece as the format demands.
#include "kiln/formats/kdb.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include "base/clock.hpp"
#include "format/kdb/catalogue.hpp"
#include "formats/bars.hpp"
#include "frame/statistics.hpp"

namespace kiln::bench {

namespace {

constexpr int kKdbPairs = 200;

/// A record that clBLAS's tuner would accept for every data type, so that every rule is checked.
kdb::Record record_for(kdb::Scheme scheme) {
  kdb::Record record;
  auto& [outer, inner, none] = record.levels;
  outer = {16, 32, 16, 32, 2};
  inner = {2, 4, 2, 4, 2};
  record.granularity = {{64, 1}, 1, 64, {}, 0};
  switch (scheme) {
    case kdb::Scheme::vector:
      outer = {1, 32, 1, 32, 32};
      inner = {1, 4, 1, 4, 4};
      break;
    case kdb::Scheme::subgroup:
      outer = {8, 32, 8, 32, 16};
      inner = {4, 4, 4, 4, 4};
      break;
    case kdb::Scheme::subgroup_2d:
      outer = {8, 32, 8, 32, 8};
      inner = {4, 4, 4, 4, 2};
      record.granularity = {{4, 16}, 2, 64, {}, 0};
      break;
    case kdb::Scheme::block_2d:
      record.granularity = {{8, 8}, 2, 64, {}, 0};
      break;
    default:
      break;
  }
  return record;
}

/// All records of a device with double precision, each with values of its own.
kdb::Database all_different() {
  kdb::Database database = kdb::complete({}, kdb::Doubles::yes).database;
  std::uint32_t number = 0;
  for (auto& pattern : database.patterns)
    for (auto& setting : pattern.settings)
      for (auto& record : setting.records) {
        record = record_for(kdb::find_pattern(pattern.name)->scheme);
        record.granularity.max_work_group = 4096 + ++number;
        record.time = 1 + number * 0.001;
      }
  return database;
}

/// The sums of a whole file by zlib. Returns their sum, so that none may be left out.
class ByZlib {
 public:
  ByZlib(const kdb::Database& database, ByteView file) : database_(database), file_(file) {}

  std::uint32_t run() {
    at_ = reinterpret_cast<const Bytef*>(file_.data());
    total_ = 0;
    part({3, 4, 4, 8});
    for (const auto& pattern : database_.patterns) {
      part({4, static_cast<uInt>(pattern.name.size() + 1), 4});
      for (const auto& setting : pattern.settings) {
        part({4, 4, 4});
        for (std::size_t i = 0; i < setting.records.size(); ++i)
          part({4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 28, 24, 12, 8});
      }
    }
    return total_;
  }
  bool all_right() const { return wrong_ == 0; }

 private:
  void part(std::initializer_list<uInt> pieces) {
    uLong sum = 0;
    for (const uInt size : pieces) {
      sum = crc32(sum ^ 0xffffffff, at_, size);
      at_ += size;
    }
    std::uint32_t stored;
    std::memcpy(&stored, at_, sizeof stored);
    at_ += sizeof stored;
    wrong_ += stored != static_cast<std::uint32_t>(sum);
    total_ += stored;
  }

  const kdb::Database& database_;
  ByteView file_;
  const Bytef* at_ = nullptr;
  std::uint32_t total_ = 0, wrong_ = 0;
};

template <class Work>
double milliseconds(Work work) {
  const auto start = now_ns();
  work();
  return static_cast<double>(now_ns() - start) * 1e-6;
}

/// Runs `work` and zlib's sums alternately; work says whether its result was right.
template <class Work>
Outcome against_zlib(Work work) {
  const kdb::Database database = all_different();
  const auto file = kdb::write(database);
  if (!file) return not_measured(file.error().message());
  ByZlib zlib(database, *file);
  std::uint32_t total = 0;
  bool right = true;
  const Sample ours = [&] { return milliseconds([&] { right &= work(database, *file); }); };
  const Sample theirs = [&] { return milliseconds([&] { total += zlib.run(); }); };
  const auto pairs = interleave(ours, theirs, kKdbPairs, 10);
  if (!pairs) return not_measured(pairs.error());
  if (!right || !zlib.all_right() || total == 0) return not_measured("a sum or a result is wrong");
  auto figure = ratio(*pairs, "ms");
  figure.detail += fmt::format("; {} bytes", file->size());
  return figure;
}

Outcome kdb_verify_time(const Context&) {
  return against_zlib([](const kdb::Database& database, const Bytes& file) {
    const auto read = kdb::parse(file);
    if (!read || read->patterns.size() != database.patterns.size()) return false;
    // Settings that clBLAS never looks up are warnings; an error would be a defect of this bar.
    for (const auto& finding : kdb::verify(*read))
      if (finding.severity == kdb::Finding::Severity::error) return false;
    return true;
  });
}

Outcome kdb_write_time(const Context&) {
  return against_zlib([](const kdb::Database& database, const Bytes& file) {
    const auto written = kdb::write(database);
    return written && written->size() == file.size();
  });
}

}  // namespace

std::vector<Bar> kdb_bars() {
  return {
      {"formats/kdb-verify",
       "read and verify a kernel database of 12,864 records against its sums by zlib",
       Holds::at_most, 1.2, "x", kdb_verify_time},
      {"formats/kdb-write", "write it against the same", Holds::at_most, 1.2, "x", kdb_write_time}};
}

}  // namespace kiln::bench
