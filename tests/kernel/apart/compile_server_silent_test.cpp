// Compile servers that do not answer, or answer what no server says: whoever asks does the job in a
// helper of its own, soon, and asks no more.
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "kernel/apart/compile_server.hpp"
#include "kernel/apart/helper.hpp"
#include "kernel/apart/job.hpp"
#include "kernel/apart/server.hpp"
#include "kernel/apart/server_client.hpp"

namespace kiln::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class SilentServer : public CompileServer {
 protected:
  /// Listens where this process looks for its server.
  FileDescriptor listen_as_server() const {
    const auto folder = folder_.path() / "kiln";
    ::mkdir(folder.c_str(), 0700);
    return listen_at(folder / (apart::name_of_server(find_compile_helper()) + ".sock"));
  }
  std::optional<ProcessResult> ask(std::chrono::milliseconds patience,
                                   std::chrono::milliseconds limit = 600s) const {
    return apart::ask_server(find_compile_helper(), {folder_.path(), limit, {}, patience});
  }
  /// Whether a server is still asked: here one that would answer.
  bool is_asked_again() const {
    const auto listener = listen_as_server();
    std::thread server([&] {
      pollfd watched{listener.get(), POLLIN, 0};
      if (::poll(&watched, 1, 100) != 1) return;
      const FileDescriptor client(::accept(listener.get(), nullptr, nullptr));
      // A socket that closes with something unread tells its peer an error, and no answer.
      (void)apart::receive(client.get());
      (void)apart::send(client.get(), apart::greeting);
      (void)apart::send(client.get(), "0 0 0");
    });
    const bool answered = ask(600s).has_value();
    server.join();
    return answered;
  }
};

TEST_F(SilentServer, one_that_is_stopped_is_not_waited_for_and_not_asked_again) {
  EXPECT_TRUE(compiles(0));
  const auto servers = new_servers();
  ASSERT_EQ(servers.size(), 1u);
  ::kill(servers[0], SIGSTOP);
  EXPECT_TRUE(compiles(1));
  EXPECT_EQ(sockets(), 0u) << "the next process must start another";
  EXPECT_TRUE(compiles(2));
  EXPECT_EQ(new_servers(), servers) << "this process asks none again";
  ::kill(servers[0], SIGKILL);
}

TEST_F(SilentServer, one_that_is_stopped_in_the_middle_of_a_job_is_not_waited_for) {
  EXPECT_TRUE(compiles(0));
  const auto servers = new_servers();
  ASSERT_EQ(servers.size(), 1u);
  // The text includes a pipe, which a compiler waits for.
  const auto pipe = folder_.path() / "waits.h";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  ApartRequest request;
  request.text = "#include \"" + pipe.string() + "\"\n" + vector_add_text;
  request.label = "VectorAdd";
  Expected<Bytes> made = fail(Errc::internal, "");
  std::atomic<bool> done{false};
  std::thread compile([&] {
    made = compile_apart(*cpu_device(), request);
    done = true;
  });
  FileDescriptor end(::open(pipe.c_str(), O_WRONLY | O_CLOEXEC));  // once the worker reads
  ::kill(servers[0], SIGSTOP);
  for (const pid_t worker : servers_of(servers[0])) ::kill(worker, SIGKILL);
  // Whoever reads now gets the file, until this process's own helper has.
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  while (!done) {
    end = FileDescriptor(::open(pipe.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (end) (void)!::write(end.get(), "\n", 1);
    end.reset();
    std::this_thread::yield();
  }
  ::signal(SIGPIPE, before);
  compile.join();
  EXPECT_TRUE(made) << made.error().message();
  ::kill(servers[0], SIGKILL);
}

TEST_F(SilentServer, a_stopped_worker_does_not_cost_its_jobs_limit) {
  EXPECT_TRUE(compiles(0));
  const auto servers = new_servers();
  ASSERT_EQ(servers.size(), 1u);
  const auto workers = servers_of(servers[0]);
  ASSERT_EQ(workers.size(), 1u);
  ::kill(workers[0], SIGSTOP);
  EXPECT_TRUE(compiles(1)) << "by a helper of this process";
  EXPECT_EQ(::kill(workers[0], 0), -1) << "the server has ended it";
  EXPECT_TRUE(compiles(2));
  EXPECT_EQ(servers_of(servers[0]).size(), 1u) << "another worker";
}

TEST_F(SilentServer, one_whose_queue_is_full_is_not_waited_for) {
  const auto listener = listen_as_server();
  std::vector<FileDescriptor> others;
  for (;;) {
    FileDescriptor other(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    socklen_t size = sizeof address;
    ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    if (::connect(other.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) break;
    others.push_back(std::move(other));
  }
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_FALSE(ask(50ms));
  EXPECT_FALSE(is_asked_again());
}

TEST_F(SilentServer, a_lock_that_somebody_keeps_is_not_waited_for) {
  fs::create_directory(folder_.path() / "kiln");
  fs::permissions(folder_.path() / "kiln", fs::perms::owner_all);
  const FileDescriptor held(
      ::open((folder_.path() / "kiln/servers.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  EXPECT_FALSE(ask(50ms));
  EXPECT_TRUE(compiles(0));
  EXPECT_TRUE(new_servers().empty());
}

/// What a server says, each a message; then it closes the connection, or says nothing more.
struct Saying {
  std::vector<std::string> messages;
  bool closes = false;
};

/// What ask() answers to that.
void check_refused(const std::function<std::optional<ProcessResult>()>& ask, int listener,
                   const Saying& saying) {
  std::thread server([&] {
    const FileDescriptor client(::accept(listener, nullptr, nullptr));
    (void)apart::receive(client.get());
    for (const auto& message : saying.messages)
      (void)::send(client.get(), message.data(), message.size(), MSG_NOSIGNAL);
    char byte;
    if (!saying.closes) (void)::recv(client.get(), &byte, 1, 0);  // until the client goes
  });
  EXPECT_FALSE(ask());
  server.join();
}

TEST_F(SilentServer, answers_that_no_server_gives_are_none) {
  const std::string hello(apart::greeting), working(apart::still_working);
  const std::vector<Saying> sayings{
      {{}, false},
      {{"0 0 0"}, false},
      {{"kiln-compile 999"}, false},
      {{std::string(100'000, 'x')}, false},
      {{hello}, false},
      {{hello, working, working}, false},
      {{hello, "0 0"}, false},
      {{hello, "0 0 0 0"}, false},
      {{hello, "0 0 0\n"}, false},
      {{hello, "99999999999999999999 0 0"}, false},
      {{hello, "0 0 7"}, false},
      {{hello, hello}, false},
      {{hello, std::string(65'537, '0')}, false},
      {{hello, std::string(3, '\0')}, false},
      {{}, true},
      {{hello}, true},
      {{hello, ""}, true},
  };
  for (std::size_t i = 0; i < sayings.size(); ++i) {
    SCOPED_TRACE(i);
    const ScopedVariable other("SILENT_SERVER_CASE", std::to_string(i));  // another server's name
    const auto listener = listen_as_server();
    check_refused([&] { return ask(50ms); }, listener.get(), sayings[i]);
    // One that ended may have been killed, which a message that is too long cannot be told from;
    // any other is given up.
    const bool is_too_long = std::ranges::any_of(sayings[i].messages, [](const auto& message) {
      return message.size() > apart::longest_message;
    });
    EXPECT_EQ(is_asked_again(), sayings[i].closes || is_too_long);
  }
}

TEST_F(SilentServer, one_that_is_busy_for_ever_is_waited_for_as_long_as_the_job_may_take) {
  if (std::getenv("KILN_LONG") == nullptr) GTEST_SKIP() << "waits for 5 s: KILN_LONG=1";
  const auto listener = listen_as_server();
  std::thread server([&] {
    const FileDescriptor client(::accept(listener.get(), nullptr, nullptr));
    (void)apart::send(client.get(), apart::greeting);
    while (apart::send(client.get(), apart::still_working) || errno == EAGAIN)
      std::this_thread::yield();
  });
  EXPECT_FALSE(ask(600s, 1ms));
  server.join();
}

/// Puts something in the place of the artifact and says that the job is done.
using Deceit = std::function<void(const fs::path& artifact)>;

TEST_F(SilentServer, what_it_made_is_looked_at_before_it_is_believed) {
  ApartRequest other;
  other.text = "kernel void Other(global int* a) { a[0] = 1; }";
  other.build_hash = std::string("AB/") + std::string(37, 'D');
  const Bytes archive = value_or_throw(compile_apart(*cpu_device(), other));
  std::vector<std::pair<const char*, Deceit>> deceits{
      {"nothing", [](const fs::path&) {}},
      {"a pipe", [](const fs::path& path) { ::mkfifo(path.c_str(), 0600); }},
      {"another program", [&](const fs::path& path) { value_or_throw(write_file(path, archive)); }},
  };
  if (std::getenv("KILN_LONG") != nullptr) {
    deceits.push_back({"a huge file", [](const fs::path& path) {
                         value_or_throw(write_file(path, {}));
                         fs::resize_file(path, std::uintmax_t{1} << 40);
                       }});
    deceits.push_back({"a half", [&](const fs::path& path) {
                         const ByteView half(archive.data(), archive.size() / 2);
                         value_or_throw(write_file(path, half));
                       }});
    deceits.push_back(
        {"a device", [](const fs::path& path) { fs::create_symlink("/dev/zero", path); }});
    deceits.push_back({"a folder", [](const fs::path& path) { fs::create_directory(path); }});
  }
  for (const auto& [name, deceit] : deceits) {
    SCOPED_TRACE(name);
    const ScopedVariable server_of_its_own("SILENT_SERVER_CASE", name);
    const auto listener = listen_as_server();
    std::thread server([&, &deceive = deceit] {
      const FileDescriptor client(::accept(listener.get(), nullptr, nullptr));
      const auto message = apart::receive(client.get());
      const auto request = message ? apart::decode_request(*message) : std::nullopt;
      ASSERT_TRUE(request);
      deceive(request->folder / apart::artifact_file);
      (void)apart::send(client.get(), apart::greeting);
      (void)apart::send(client.get(), "0 0 0");
    });
    EXPECT_TRUE(compiles(0));
    server.join();
    EXPECT_FALSE(is_asked_again());
  }
}

TEST_F(SilentServer, clients_that_say_nonsense_leave_a_server_alive) {
  EXPECT_TRUE(compiles(0));
  const auto servers = new_servers();
  ASSERT_EQ(servers.size(), 1u);
  std::vector<FileDescriptor> kept;
  for (const std::string& message :
       {std::string("x"), std::string(3, '\0'), std::string(100'000, 'x'),
        std::string("/\0009999999999999999999999\0", 26), std::string("/\0-1\0", 5),
        std::string("/nonexistent\0001000\0", 18)}) {
    FileDescriptor client(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, socket_path().c_str(), sizeof address.sun_path - 1);
    ASSERT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    ASSERT_EQ(::send(client.get(), message.data(), message.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(message.size()));
    kept.push_back(std::move(client));
  }
  EXPECT_TRUE(compiles(1));
  EXPECT_EQ(new_servers(), servers);
}

TEST_F(SilentServer, a_reader_that_was_stopped_stops_no_writer) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const FileDescriptor writer(ends[0]), reader(ends[1]);
  while (apart::send(writer.get(), apart::still_working)) {
  }
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(SilentServer, sockets_of_killed_servers_go_and_one_lock_stays) {
  EXPECT_TRUE(compiles(0));
  for (const pid_t server : new_servers()) ::kill(server, SIGKILL), ::waitpid(server, nullptr, 0);
  const ScopedVariable other("SILENT_SERVER_CASE", "another environment");
  EXPECT_TRUE(compiles(1));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_.path() / "kiln"))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector{apart::name_of_server(find_compile_helper()) + ".sock",
                                std::string("servers.lock")}));
}

/// Other programs where the helper should be.
class NoHelper : public CompileServer {
 protected:
  std::string reason(const std::string& program, std::chrono::milliseconds patience) {
    const ScopedVariable named("KILN_COMPILE_HELPER", program);
    apart::HelperSetting setting;
    setting.shared = true;
    setting.patience = patience;
    apart::Job job;
    job.source = vector_add_text;
    const auto run = apart::run_helper(job, setting);
    EXPECT_FALSE(run) << program;
    return run ? "" : run.error().message();
  }
  std::string script(const std::string& body) {
    const auto path = folder_.path() / "script";
    value_or_throw(write_file(path, as_bytes("#!/bin/sh\n" + body + "\n"), 0755));
    return path.string();
  }
};

TEST_F(NoHelper, is_told_by_what_it_does) {
  const auto is_none = [](const std::string& program, const std::string& why) {
    return program + " is not Kiln's compile helper: " + why;
  };
  EXPECT_EQ(reason("/bin/true", 600s), is_none("/bin/true", "it ended with exit code 0"));
  EXPECT_EQ(reason("/bin/cat", 600s), is_none("/bin/cat", "it ended with exit code 1"));
  EXPECT_EQ(reason("/bin/sleep", 600s), is_none("/bin/sleep", "it ended with exit code 1"));
  EXPECT_EQ(reason("/usr/bin/yes", 200ms), is_none("/usr/bin/yes", "it ended with exit code 1"));
  EXPECT_NE(reason(folder_.path(), 600s).find("Permission denied"), std::string::npos);
  EXPECT_TRUE(new_servers().empty());
}

TEST_F(NoHelper, is_ended_where_it_does_not_end) {
  for (const char* body : {"exec sleep 1000", "exec cat", "sleep 1000 & wait", "exec yes"}) {
    const std::string program = script(std::string(body) + " # --serve");
    const auto why = reason(program, 200ms);
    EXPECT_EQ(why.find(program + " is not Kiln's compile helper: it"), 0u) << why;
    EXPECT_EQ(reason(program, 600s), why) << "and it is not started again";
  }
}

TEST_F(NoHelper, that_fails_for_a_moment_is_tried_again) {
  const auto count = folder_.path() / "count";
  const std::string program = script("echo >> " + count.string() + "; exit 127");
  // A server that this setting would start answers nothing either, and is asked once.
  const ScopedVariable no_server("KILN_COMPILE_SERVER", "off");
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(reason(program, 600s),
              program + " is not Kiln's compile helper: it ended with exit code 127");
  EXPECT_EQ(fs::file_size(count), 3u) << "and given up after the third time";
}

}  // namespace
}  // namespace kiln::testing
