#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kiln/mpi/transport.hpp"
#include "mpi/exchange.hpp"
#include "mpi/watch.hpp"

namespace kiln::mpi {

/// transport().
class MpiTransport final : public mesh::Transport {
 public:
  MpiTransport(const Communicator& comm, const TransportOptions& options);

  int rank() const override { return watch_.rank(); }
  int size() const override { return watch_.size(); }
  void start(std::span<const Message> receives, std::span<const Message> sends,
             std::string_view what) override;
  void finish(std::string_view what) override;
  void gather(std::span<const std::byte> mine, std::span<std::byte> all,
              std::string_view what) override;
  std::vector<Packet> deliver(std::vector<Packet> packets, std::string_view what) override;

  const Communicator& communicator() const { return communicator_; }
  Watch& watch() { return watch_; }

 private:
  Exchange& exchange_for(std::span<const Message> receives, std::span<const Message> sends,
                         std::string_view what);
  /// Receives from one rank and sends to another one, and waits.
  void swap(const Message& receive, const Message& send, std::string_view what);

  Communicator communicator_;
  Watch watch_;
  OwnComm comm_;
  TransportOptions options_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
  Exchange* running_ = nullptr;
  std::vector<std::byte> gathered_;
  std::uint64_t uses_ = 0;
  int deliveries_ = 0;
};

/// What each rank gives, by rank. Collective.
template <class T>
std::vector<T> of_all(mesh::Transport& transport, const T& mine, std::string_view what) {
  std::vector<T> all(static_cast<std::size_t>(transport.size()));
  transport.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)),
                   what);
  return all;
}

/// Throws bad_input for a Transport that is none of transport(); `who` asks.
MpiTransport& mpi_transport(mesh::Transport& transport, std::string_view who);

}  // namespace kiln::mpi
