#pragma once

#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kiln/mesh/report.hpp"
#include "mesh/distributed/mail.hpp"

/// Reports and timelines as packets between parts.
namespace kiln::mesh {

/// Lists the fields, for the way there and back.
struct ReportFields {
  template <class Archive>
  static void pack(Archive& with, OverParts& one) {
    with(one.least, one.mean, one.greatest, one.rank);
  }
  template <class Archive>
  static void pack(Archive& with, HaloTraffic& one) {
    with(one.dat, one.exchanges, one.messages, one.bytes, one.wait_seconds, one.seconds);
  }
  template <class Archive>
  static void pack(Archive& with, LoopReport& one) {
    with(one.name, one.count, one.seconds, one.plan_seconds, one.compile_seconds, one.bytes,
         one.gigabytes_per_second, one.share, one.plan_hits, one.program_hits, one.colours,
         one.form, one.lanes, one.lanes_obstacle, one.redundant, one.halo, one.halos);
  }
  template <class Archive>
  static void pack(Archive& with, PartsLoopReport& one) {
    with(one.all, one.seconds, one.exchange_seconds, one.wait_seconds);
  }
  template <class Archive>
  static void pack(Archive& with, PartsSetReport& one) {
    with(one.name, one.elements, one.owned, one.exec_halo, one.halo, one.neighbours);
  }
  template <class Archive>
  static void pack(Archive& with, PartsMapReport& one) {
    with(one.name, one.elements, one.cut);
  }
  template <class Archive>
  static void pack(Archive& with, PartsReport& one) {
    with(one.parts, one.loops, one.sets, one.maps, one.reductions, one.reduction_seconds);
  }
  template <class Archive>
  static void pack(Archive& with, TimelineSpan& one) {
    with(one.lane, one.name, one.category, one.start_ns, one.end_ns, one.reason, one.rank);
  }
};

/// Values one behind the other.
struct Packing {
  std::vector<std::byte> bytes{};

  template <class... Values>
  void operator()(Values&... values) {
    (add(values), ...);
  }

 private:
  template <class Value>
  void add(Value& value) {
    if constexpr (std::is_arithmetic_v<Value>)
      append_to<Value>(bytes, std::span<const Value>(&value, 1));
    else
      ReportFields::pack(*this, value);
  }
  void add(std::string& text) {
    std::size_t size = text.size();
    add(size);
    append_to<char>(bytes, std::span<const char>(text));
  }
  template <class Value>
  void add(std::vector<Value>& list) {
    std::size_t size = list.size();
    add(size);
    for (Value& value : list) add(value);
  }
};

/// Takes them out again. Throws io for a packet that is shorter than it says.
class Unpacked {
 public:
  explicit Unpacked(const Transport::Packet& packet) : from_(packet) {}

  template <class... Values>
  void operator()(Values&... values) {
    (take(values), ...);
  }

 private:
  template <class Value>
  void take(Value& value) {
    if constexpr (std::is_arithmetic_v<Value>)
      value = from_.take<Value>();
    else
      ReportFields::pack(*this, value);
  }
  void take(std::string& text) {
    std::vector<char> letters;
    from_.append_to(letters, from_.take<std::size_t>());
    text.assign(letters.begin(), letters.end());
  }
  template <class Value>
  void take(std::vector<Value>& list) {
    const auto size = from_.take<std::size_t>();
    list.clear();
    for (std::size_t k = 0; k < size; ++k) take(list.emplace_back());
  }
  Unpacking from_;
};

template <class Value>
std::vector<std::byte> packed(Value value) {
  Packing packing;
  packing(value);
  return std::move(packing.bytes);
}

template <class Value>
Value unpacked(const Transport::Packet& packet) {
  Value value;
  Unpacked reading(packet);
  reading(value);
  return value;
}

}  // namespace kiln::mesh
