#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kiln/mesh/mesh.hpp"
#include "mesh/halo/device_staging.hpp"
#include "mesh/halo/halo_check.hpp"
#include "mesh/halo/message_layout.hpp"

namespace kiln::mesh {

/// Brings the halos that something reads, a loop or a product, where they are stale: one message to
/// each neighbour for all Dats together. All parts have the same reads, and find the same ones
/// stale. Memory, lists and kernels are kept between exchanges. One thread.
class Exchange {
 public:
  /// `what`: who reads, in words. A Dat is among the reads once.
  Exchange(Session& session, std::vector<HaloRead> reads, std::string what);
  ~Exchange();

  /// What is begun is finished by the same; between the two kernels may use the other elements.
  /// begin() enqueues, or fills messages; send() may wait for what begin() enqueued and gives the
  /// messages away; finish() waits for those of the others. begin() says whether anything is stale:
  /// if not, there is nothing more to do. Throw what the Transport throws, and kiln::Error.
  bool begin(const Queue& queue);
  void send();
  /// Where what comes between begin() and finish() has failed: messages that are on their way into
  /// memory that may go are waited for.
  void give_up() noexcept;
  void finish(const Queue& queue);
  /// All three.
  void refresh(const Queue& queue);

  /// What went out from this part, and what was waited for.
  const HaloTraffic& total() const { return total_; }
  const std::vector<HaloTraffic>& by_dat() const { return by_dat_; }
  void clear_counts();
  /// Seconds of all exchanges: what this thread did, one after the other.
  struct Phases {
    double begin = 0, core = 0, gathered = 0, sent = 0, arrived = 0, scattered = 0;
  };
  const Phases& phases() const { return phases_; }
  std::span<const HaloRead> reads() const { return reads_; }

 private:
  struct Route;
  Route& route_for(const std::vector<std::size_t>& stale);
  void count(const Route& route, std::int64_t wait_start, std::int64_t wait_end);
  bool is_staged();

  Session& session_;
  std::vector<HaloRead> reads_;
  std::string what_;
  HaloTraffic total_;
  Phases phases_;
  std::int64_t last_stamp_ = 0;
  void stamp(double Phases::*phase);
  std::unique_ptr<HaloCheck> check_;  ///< null: it is not asked for
  std::vector<HaloTraffic> by_dat_;
  std::vector<std::size_t> stale_;  ///< of the present exchange
  std::int64_t start_ns_ = 0;       ///< likewise
  double seconds_ = 0;              ///< likewise: on the host, so far
  Route* present_ = nullptr;
  bool is_started_ = false;  ///< the Transport has its messages
  std::map<std::vector<std::size_t>, std::unique_ptr<Route>> routes_;  ///< by what is stale
  // After the routes: it goes first, when their kernels and transfers have ended.
  std::unique_ptr<DeviceStaging::Memory> out_, in_;  ///< with a device's own memory
  HostArray host_out_, host_in_;                     ///< without
};

}  // namespace kiln::mesh
