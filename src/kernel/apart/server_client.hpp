#pragma once

#include <sys/types.h>

#include <chrono>
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

/// Two processes share a server where a helper of their own would be the same: program, environment
/// and processors.
std::string name_of_server(const std::filesystem::path& helper);

struct ServerConnection {
  FileDescriptor socket;       ///< none: there is no server, or it is silent
  bool silent = false;         ///< the listener accepts nothing, or the lock is held all the time
  std::filesystem::path path;  ///< the socket's name
  ino_t file = 0;              ///< what stood there
  std::optional<ChildProcess> started;  ///< by this call; the caller waits for its end
  pid_t process = 0;                    ///< that one's; 0: another process has started the server
};

/// Waits at most `patience` each for the lock and for the server.
ServerConnection connect_to_server(const std::filesystem::path& helper, const std::string& name,
                                   std::chrono::milliseconds patience);

/// The server's process, as far as the system tells; 0 where it does not.
pid_t process_of(const ServerConnection& connection);

/// Takes the name of a server that does not answer, if it still has it: the next process starts
/// another one.
void take_name_away(const ServerConnection& connection, std::chrono::milliseconds patience);

}  // namespace kiln::apart
