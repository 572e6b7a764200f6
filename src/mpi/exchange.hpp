#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kiln/mesh/distribution.hpp"
#include "mpi/communicator.hpp"

namespace kiln::mpi {

/// The persistent requests of an exchange: the same neighbours, sizes and addresses each time.
/// Messages of two ranks come in the order in which they were sent, so that one tag is enough.
class Exchange {
 public:
  using Message = mesh::Transport::Message;
  Exchange(MPI_Comm comm, std::span<const Message> receives, std::span<const Message> sends,
           std::size_t largest_count, std::string_view what);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  bool is_for(std::span<const Message> receives, std::span<const Message> sends) const;
  void start(std::string_view what);
  /// Whether all messages are there and sent. Throws internal where one has another size.
  bool is_done(std::string_view what);
  /// The ranks whose messages are not there, or that have not taken theirs.
  std::vector<int> missing() const;

  std::uint64_t last_use = 0;

 private:
  struct Line {
    int rank;
    const std::byte* bytes;
    std::size_t size;
  };
  static bool same(std::span<const Line> lines, std::span<const Message> messages);

  std::size_t receives_;
  std::vector<Line> lines_;  ///< receives, then sends; none is empty
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace kiln::mpi
