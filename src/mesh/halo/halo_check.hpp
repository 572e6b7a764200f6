#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mesh/halo/message_layout.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {

/// For debugging (KILN_MPI_CHECK=1): whether the copies that something is about to read are what
/// their owners have, whatever brought them, or did not, since they were thought to be fresh.
/// Owners send a digest of each element. One thread; all parts call the same.
class HaloCheck {
 public:
  HaloCheck(Session& session, std::span<const HaloRead> reads, const std::string& what);

  /// What others have copies of is now as they are to find it.
  void note();
  /// Their copies are to be read. Throws internal where copies here are something else: names a Dat
  /// and the first such element.
  void compare();

 private:
  using Way = MessageLayout::Way;
  std::vector<std::uint32_t> digests(const MessageLayout& layout) const;
  std::vector<Transport::Message> messages(const MessageLayout& layout,
                                           std::vector<std::uint32_t>& digests) const;
  void hold_against(std::span<const std::uint32_t> found) const;

  Session& session_;
  std::vector<HaloRead> reads_;
  std::string what_;
  MessageLayout out_, in_;
  std::vector<std::uint32_t> told_, heard_;  ///< of elements, in the order of the layouts
};

/// Options::check: elements of a Dat's halo that are stale become NaN, or an odd number, so that it
/// shows where one is read that no exchange brings.
void poison(DatState& dat);

}  // namespace kiln::mesh
