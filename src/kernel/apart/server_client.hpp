#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/os/process.hpp"
#include "kernel/apart/server.hpp"

// The client's side of the compile server: asking it, finding it, or starting it. Servers have
// sockets in a folder that only this user may enter, and one lock there is held while a server is
// started or a name taken away.
namespace kiln::apart {

/// How the job ended. Empty where no server can be had, it ended first or does not answer: then the
/// job is still to be done, in a helper of its own. Thread-safe.
std::optional<ProcessResult> ask_server(const std::filesystem::path& helper,
                                        const ServerRequest& request);

/// What it answered was not true: this process asks it no more.
void give_server_up(const std::filesystem::path& helper);

/// A program file as it is now: its path, size and time. Another file has another text.
std::string identity_of(const std::filesystem::path& program);

/// Two processes share a server where a helper of their own would do the same: program, environment
/// (but for where caches are) and processors.
std::string name_of_server(const std::filesystem::path& helper);

}  // namespace kiln::apart
