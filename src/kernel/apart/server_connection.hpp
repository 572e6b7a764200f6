#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "base/process.hpp"

/// Finding the compile server, or starting it. Servers have sockets in a folder that only this user
/// may enter, and one lock there is held while a server is started or a name taken away.
namespace kiln::apart {

/// Two processes share a server where a helper of their own would be the same: program, environment
/// and processors.
std::string name_of_server(const std::filesystem::path& helper);

struct ServerConnection {
  FileDescriptor socket;       ///< none: there is no server, or it is silent
  bool silent = false;         ///< who listens accepts nothing, or the lock is held all the time
  std::filesystem::path path;  ///< the socket's name
  ino_t file = 0;              ///< what stood there
  std::optional<ChildProcess> started;  ///< by this call; whoever takes it waits for its end
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
