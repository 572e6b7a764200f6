#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/command/context.hpp"
#include "kernel/runtime.hpp"
#include "store/default_store.hpp"

/// What the options of a command name to work with: stores, a Resolver, devices and their queues.
namespace kiln::cli {

/// The layers that --store, --system-store, --shared-store and their bounds name; each one's
/// default is the environment's. Options that the sub-command lacks keep their default. Throws
/// Error (bad input) for a size that is none.
StoreSettings store_settings_of(const Context& context);

/// The value of an option as a number of bytes ("2G"). Throws Error (bad input) for any other.
std::uint64_t bytes_option(const Context& context, std::string_view option);

/// What --compile says.
CompilePolicy compile_policy_of(const Context& context);

/// A Resolver over the store, with the way to compile, that a command's options name. Throws Error
/// where they name none.
std::unique_ptr<Resolver> make_resolver(const Context& context);
/// The same over another store, which may be null.
std::unique_ptr<Resolver> make_resolver(const Context& context, std::unique_ptr<Layer> store);

/// The Runtime that a command's options name. Its drivers are loaded when devices are first asked
/// for, by the thread that asks: loading them while files were read made a whole warm run 5 %
/// slower (a heap and a processor of its own for the drivers). `single` is what a single device is
/// to a command that was given no --devices.
std::unique_ptr<Runtime::State> make_runtime(
    const Context& context, Runtime::State::Single single = Runtime::State::Single::whole);

/// How an error of a run is reported, behind which `left` others of the command were to follow.
struct Failure {
  Error error;
  /// That a device is lost, and the others are left out for it.
  std::optional<Error> end = std::nullopt;
};
Failure failure_of(const Error& error, Runtime::State& runtime, std::size_t left);

}  // namespace kiln::cli
