#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/context.hpp"
#include "device/context.hpp"
#include "kernel/resolver/resolver.hpp"
#include "store/default_store.hpp"

/// What the options of a command name to work with: stores, a Resolver, devices and their queues.
namespace kiln::cli {

/// The layers that --store, --system-store, --shared-store and their bounds name; each one's
/// default is the environment's. Options that the sub-command lacks keep their default. Throws
/// Error (bad input) for a size that is none.
StoreSettings store_settings_of(const Context& context);

/// A Resolver over the store, with the way to compile, that a command's options name. Throws Error
/// where they name none.
std::unique_ptr<Resolver> make_resolver(const Context& context);
/// The same over another store, which may be null.
std::unique_ptr<Resolver> make_resolver(const Context& context, std::unique_ptr<Layer> store);

/// The Resolver and the devices that the options of a command name. The drivers are loaded when
/// devices are first asked for, by the thread that asks: loading them beside the reading of files
/// made a whole warm run 5 % slower (a heap and a processor of its own for the drivers).
class Session {
 public:
  /// What a single device is to a command that was given no --devices.
  enum class Alone { whole, halved };

  explicit Session(const Context& context, Alone alone = Alone::whole);
  ~Session();

  Resolver& resolver() { return *resolver_; }
  /// Devices of --devices; waits for the drivers. Throws not_found.
  const std::vector<DevicePtr>& devices();
  /// One queue a device, made once, so that every run of the command shares contexts and programs.
  const std::vector<Queue>& queues();
  /// Whether anything may have run: its devices were asked for.
  bool has_run() const { return !devices_.empty(); }
  /// Whether devices() or queues() has failed: no run of this command can then succeed.
  bool has_no_devices() const { return failed_; }
  /// How an error of a run is reported, behind which `left` others of the command were to follow.
  struct Failure {
    Error error;
    /// That a device is lost, and the others are left out for it.
    std::optional<Error> end = std::nullopt;
  };
  Failure failure(const Error& error, std::size_t left) const;

 private:
  /// The name of a device that takes no more work of this process, after a kernel that wrote
  /// outside of memory or a reset of its driver; empty where all go on. Waits for what runs on
  /// them.
  std::string lost_device() const;

  std::string device_list_;
  std::unique_ptr<Resolver> resolver_;
  std::vector<DevicePtr> devices_;
  std::vector<Queue> queues_;
  bool halve_ = false, failed_ = false;
};

}  // namespace kiln::cli
