#pragma once

#include <array>
#include <exception>
#include <map>
#include <memory>
#include <optional>
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
  /// begin() enqueues, or fills messages, and says whether anything is stale: if not, there is
  /// nothing more to do. depart() enqueues what goes next to the loops, after what has come on
  /// their queue since; send() may wait for all that, and gives the messages away; finish() waits
  /// for those of the others. `where`: next to the loops only if what is enqueued between begin()
  /// and finish() changes none of these Dats. Throw what the Transport throws, and kiln::Error.
  using Where = DeviceStaging::Where;
  bool begin(const Queue& queue, Where where);
  void depart(const Queue& queue);
  void send(const Queue& queue);
  /// begin() before its time, when all that it sends is enqueued and something else is to follow
  /// that changes none of it; begin() finds it done then. Only where the host has no part in it:
  /// the Transport hears of it at the same point of the program as otherwise, on all parts.
  void begin_early(const Queue& queue, Where where);
  bool begins_early() const { return session_.has_staged_halos(); }
  /// How often it did so.
  std::size_t early_begins() const { return early_begins_; }
  /// It is under way, and brings this Dat.
  bool is_bringing(const DatState& dat) const;
  /// The first of a Dat's elements that it sends, their number where it sends none; nullopt: it is
  /// not about this Dat.
  std::optional<std::size_t> first_sent(const DatState& dat) const;
  /// Where what comes between begin() and finish() has failed: messages that are on their way into
  /// memory that may go are waited for.
  void give_up() noexcept;
  void finish(const Queue& queue);
  /// All of these; gives up where one fails.
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
  std::size_t early_begins_ = 0;
  void stamp(double Phases::*phase);
  std::unique_ptr<HaloCheck> check_;  ///< null: it is not asked for
  std::vector<HaloTraffic> by_dat_;
  std::vector<std::size_t> stale_;       ///< of the present exchange
  std::vector<std::size_t> first_sent_;  ///< by read
  std::int64_t start_ns_ = 0;            ///< likewise
  double seconds_ = 0;                   ///< likewise: on the host, so far
  Route* present_ = nullptr;
  Where where_ = Where::with_loops;    ///< likewise
  std::optional<cl::Event> computed_;  ///< likewise: what goes next to the loops is still to depart
  bool is_started_ = false;            ///< the Transport has its messages
  std::map<std::vector<std::size_t>, std::unique_ptr<Route>> routes_;  ///< by what is stale
  // After the routes: it goes first, when their kernels and transfers have ended.
  std::unique_ptr<DeviceStaging::Memory> out_, in_;  ///< with a device's own memory
  HostArray host_out_, host_in_;                     ///< without
};

/// While exchanges, or one and none, may be under way: an exception that passes gives them up, so
/// that none is taken for begun afterwards.
class GiveUpOnFailure {
 public:
  explicit GiveUpOnFailure(Exchange* one, Exchange* other = nullptr) : exchanges_{one, other} {}
  GiveUpOnFailure(const GiveUpOnFailure&) = delete;
  GiveUpOnFailure& operator=(const GiveUpOnFailure&) = delete;
  ~GiveUpOnFailure() {
    if (std::uncaught_exceptions() == before_) return;
    for (Exchange* const exchange : exchanges_)
      if (exchange != nullptr) exchange->give_up();
  }

 private:
  std::array<Exchange*, 2> exchanges_;
  int before_ = std::uncaught_exceptions();
};

}  // namespace kiln::mesh
