#pragma once

#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/error.hpp"
#include "kiln/mesh/distribution.hpp"

/// Packets of values between the parts of a mesh that is being distributed.
namespace kiln::mesh {

/// Gives a list's memory back, which `= {}` keeps.
template <class T>
void free_memory(std::vector<T>& list) noexcept {
  std::vector<T>().swap(list);
}

/// Values for some parts; what arrives is by rank.
template <class T>
class Outbox {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  std::vector<T>& box(int rank) {
    if (rank != last_rank_) {
      last_ = &boxes_[rank];
      last_rank_ = rank;
    }
    return *last_;
  }
  void add(int rank, const T& value) { box(rank).push_back(value); }

  /// Empties it. All parts call it.
  std::vector<std::pair<int, std::vector<T>>> deliver(Transport& transport, std::string_view what) {
    std::vector<Transport::Packet> packets;
    std::vector<std::pair<int, std::vector<T>>> arrived;
    for (auto& [rank, values] : boxes_) {
      if (rank == transport.rank()) continue;
      const auto bytes = std::as_bytes(std::span<const T>(values));
      packets.push_back({rank, {bytes.begin(), bytes.end()}});
      free_memory(values);
    }
    auto received = transport.deliver(std::move(packets), what);
    // What is for this part goes nowhere.
    if (const auto own = boxes_.find(transport.rank()); own != boxes_.end())
      arrived.emplace_back(own->first, std::move(own->second));
    boxes_.clear();
    last_rank_ = -1;
    for (auto& packet : received) {
      std::vector<T> values(packet.bytes.size() / sizeof(T));
      if (!values.empty()) std::memcpy(values.data(), packet.bytes.data(), packet.bytes.size());
      free_memory(packet.bytes);
      arrived.emplace_back(packet.rank, std::move(values));
    }
    std::ranges::sort(arrived, {}, [](const auto& one) { return one.first; });
    return arrived;
  }

 private:
  std::map<int, std::vector<T>> boxes_;
  int last_rank_ = -1;
  std::vector<T>* last_ = nullptr;
};

/// Puts lists of several types into a packet, one behind the other.
template <class T>
void append_to(std::vector<std::byte>& packet, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  packet.insert(packet.end(), bytes.begin(), bytes.end());
}

/// Takes them out again.
class Unpacking {
 public:
  explicit Unpacking(const Transport::Packet& packet) : packet_(packet) {}
  template <class T>
  T take() {
    T value;
    take_into(std::span<T>(&value, 1));
    return value;
  }
  /// Behind what the list has.
  template <class T>
  void append_to(std::vector<T>& list, std::size_t count) {
    list.resize(list.size() + count);
    take_into(std::span<T>(list).last(count));
  }

 private:
  template <class T>
  void take_into(std::span<T> values) {
    if (values.size_bytes() > packet_.bytes.size() - at_)
      throw Error(Errc::io, "a packet from part " + std::to_string(packet_.rank) +
                                " is shorter than it says");
    if (!values.empty())
      std::memcpy(values.data(), packet_.bytes.data() + at_, values.size_bytes());
    at_ += values.size_bytes();
  }
  const Transport::Packet& packet_;
  std::size_t at_ = 0;
};

/// All parts throw what the lowest of them has to say; nothing is thrown where none has anything.
/// So no part waits for one that refuses something.
void agree(Transport& transport, const Error* refused, std::string_view what);

/// Calls, and agrees on what it throws.
template <class Call>
void together(Transport& transport, std::string_view what, Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    agree(transport, &error, what);
  } catch (const std::exception& other) {
    const Error error(Errc::internal, other.what());
    agree(transport, &error, what);
  }
  agree(transport, nullptr, what);
}

/// A number from each part, by rank.
template <class T>
std::vector<T> gather_values(Transport& transport, std::span<const T> mine, std::string_view what) {
  std::vector<T> all(mine.size() * static_cast<std::size_t>(transport.size()));
  transport.gather(std::as_bytes(mine), std::as_writable_bytes(std::span<T>(all)), what);
  return all;
}

}  // namespace kiln::mesh
