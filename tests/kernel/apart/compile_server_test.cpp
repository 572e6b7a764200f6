// The helper that stays: one for all, and no compile fails because of it.
#include "kernel/apart/compile_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "kernel/apart/server.hpp"
#include "kernel/apart/server_client.hpp"

namespace kiln::testing {
namespace {

namespace fs = std::filesystem;

TEST_F(CompileServer, one_serves_many_jobs) {
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(compiles(i));
  EXPECT_EQ(new_servers().size(), 1u);
  EXPECT_EQ(sockets(), 1u);
}

TEST_F(CompileServer, is_one_for_all_caches_and_ranks_but_not_for_other_settings_of_the_driver) {
  const auto helper = find_compile_helper();
  const auto name = apart::name_of_server(helper);
  for (const char* variable :
       {"HOME", "POCL_CACHE_DIR", "XDG_CACHE_HOME", "KILN_STORE", "OMPI_COMM_WORLD_RANK",
        "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "PYTEST_CURRENT_TEST"}) {
    const ScopedVariable elsewhere(variable, "/elsewhere");
    EXPECT_EQ(apart::name_of_server(helper), name) << variable;
  }
  const ScopedVariable setting("POCL_MAX_PTHREAD_COUNT", "1");
  EXPECT_NE(apart::name_of_server(helper), name);
}

/// Descriptors that a process has open.
std::ptrdiff_t open_files(pid_t process) {
  const fs::directory_iterator all(fmt::format("/proc/{}/fd", process));
  return std::distance(begin(all), end(all));
}

/// Kilobytes of memory that are a process's own.
long resident_kb(pid_t process) {
  const auto status = contents_of(fmt::format("/proc/{}/status", process));
  const auto at = status.find("VmRSS:");
  return at == std::string::npos ? 0 : std::atol(status.c_str() + at + 6);
}

// 3,000 with KILN_LONG=1: workers are replaced eleven times meanwhile.
TEST_F(CompileServer, many_jobs_leave_nothing_behind) {
  const int jobs = std::getenv("KILN_LONG") != nullptr ? 3000 : 12;
  const auto work = folder_.path() / "work";
  fs::create_directory(work);
  const ScopedVariable place("TMPDIR", work.string());
  const auto compile_all = [](int first, int end) {  // two at a time
    std::atomic<int> next{first}, right{0};
    const auto some = [&] {
      for (int i = next++; i < end; i = next++) right += compiles(i);
    };
    std::thread other(some);
    some();
    other.join();
    return right.load() == end - first;
  };
  ASSERT_TRUE(compile_all(0, jobs / 3));
  const auto servers = new_servers();
  ASSERT_EQ(servers.size(), 1u);
  const auto files = open_files(servers[0]);
  const long memory = resident_kb(servers[0]);
  ASSERT_TRUE(compile_all(jobs / 3, jobs));
  EXPECT_EQ(new_servers(), servers);
  EXPECT_LE(open_files(servers[0]), files + 2) << "it may not have closed its last client yet";
  EXPECT_LE(resident_kb(servers[0]), memory + 8192);
  EXPECT_TRUE(fs::is_empty(work)) << "folders of jobs";
  EXPECT_EQ(sockets(), 1u);
  const fs::directory_iterator all(folder_.path() / "kiln");
  EXPECT_EQ(std::distance(begin(all), end(all)), 2) << "the socket and the lock";
}

TEST_F(CompileServer, threads_share_it) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 6; ++i) threads.emplace_back([&, i] { right += compiles(i); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 6);
  EXPECT_EQ(new_servers().size(), 1u);
}

TEST_F(CompileServer, off_means_a_helper_for_each_job) {
  const ScopedVariable off("KILN_COMPILE_SERVER", "off");
  EXPECT_TRUE(compiles(0));
  EXPECT_TRUE(new_servers().empty());
}

TEST_F(CompileServer, another_environment_has_another_server) {
  EXPECT_TRUE(compiles(0));
  const ScopedVariable other("POCL_MAX_PTHREAD_COUNT", "1");
  EXPECT_TRUE(compiles(0));
  EXPECT_EQ(new_servers().size(), 2u);
}

TEST_F(CompileServer, loads_no_driver_but_the_one_it_compiles_for) {
  EXPECT_TRUE(compiles(0));
  const auto servers = new_servers();
  ASSERT_EQ(servers.size(), 1u);
  const auto variables = contents_of(fmt::format("/proc/{}/environ", servers[0]));
  EXPECT_NE(variables.find("OCL_ICD_VENDORS=/"), std::string::npos) << variables;
}

TEST_F(CompileServer, what_only_the_library_reads_makes_no_other) {
  EXPECT_TRUE(compiles(0));
  const ScopedVariable log("KILN_EXPLAIN", "0");
  EXPECT_TRUE(compiles(1));
  EXPECT_EQ(new_servers().size(), 1u);
}

TEST_F(CompileServer, a_text_that_does_not_compile_leaves_it_alive) {
  EXPECT_TRUE(compiles(0));
  const auto before = new_servers();
  ApartRequest broken;
  broken.text = "kernel void broken() { undeclared = 1; }";
  broken.label = "broken";
  for (int i = 0; i < 3; ++i) {
    const auto result = compile_apart(*cpu_device(), broken);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), Errc::build);
  }
  EXPECT_TRUE(compiles(1));
  EXPECT_EQ(new_servers(), before);
}

TEST_F(CompileServer, a_job_that_is_killed_at_its_bound_leaves_it_alive) {
  EXPECT_TRUE(compiles(0));
  const auto before = new_servers();
  ApartRequest request;
  request.text = vector_add_text;
  request.label = "VectorAdd";
  request.limit = std::chrono::milliseconds(1);
  const auto result = compile_apart(*cpu_device(), request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::timeout);
  EXPECT_TRUE(compiles(1));
  EXPECT_EQ(new_servers(), before);
}

TEST_F(CompileServer, one_that_was_killed_is_replaced) {
  EXPECT_TRUE(compiles(0));
  const auto first = new_servers();
  ASSERT_EQ(first.size(), 1u);
  ::kill(first[0], SIGKILL);
  EXPECT_TRUE(compiles(1));
  EXPECT_TRUE(compiles(2));
  const auto second = new_servers();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_NE(second, first);
}

TEST_F(CompileServer, a_worker_that_died_with_nothing_to_do_is_replaced) {
  EXPECT_TRUE(compiles(0));
  const auto servers = new_servers();
  ASSERT_EQ(servers.size(), 1u);
  const auto workers = servers_of(servers[0]);
  ASSERT_FALSE(workers.empty());
  for (const pid_t worker : workers) ::kill(worker, SIGKILL);
  EXPECT_TRUE(compiles(1));
  EXPECT_TRUE(compiles(2));
  EXPECT_EQ(new_servers(), servers);
}

TEST_F(CompileServer, one_that_is_killed_in_the_middle_of_jobs_costs_none_of_them) {
  EXPECT_TRUE(compiles(0));
  std::atomic<int> right{0}, begun{0};
  std::vector<std::thread> threads;
  for (int i = 1; i < 6; ++i)
    threads.emplace_back([&, i] {
      ++begun;
      right += compiles(i);
    });
  while (begun < 5) std::this_thread::yield();
  for (const pid_t server : new_servers()) ::kill(server, SIGKILL);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 5);
}

TEST_F(CompileServer, a_folder_that_it_cannot_see_is_a_job_for_oneself) {
  EXPECT_TRUE(compiles(0));
  EXPECT_FALSE(apart::ask_server(find_compile_helper(), {"/nonexistent"}));
  EXPECT_TRUE(compiles(1));
}

TEST_F(CompileServer, one_that_answers_nothing_and_clears_up_harms_no_helper) {
  EXPECT_TRUE(compiles(0));
  for (const pid_t server : new_servers()) ::kill(server, SIGKILL);
  const FileDescriptor listener = listen_at(socket_path());
  // As one does whose client waited too long for it: the folder of the job goes.
  std::thread server([&] {
    const FileDescriptor client(::accept(listener.get(), nullptr, nullptr));
    const auto message = apart::receive(client.get());
    const auto request = message ? apart::decode_request(*message) : std::nullopt;
    ASSERT_TRUE(request);
    EXPECT_GT(fs::remove_all(request->folder), 0u);
  });
  EXPECT_TRUE(compiles(1));
  server.join();
}

/// Whether a process has this file open.
bool has_open(const std::string& process, const fs::path& file) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc/" + process + "/fd"))
    if (fs::read_symlink(entry.path(), error) == file) return true;
  return false;
}

TEST_F(CompileServer, what_its_process_forks_off_does_not_keep_it_alive) {
  EXPECT_TRUE(compiles(0));
  const auto servers = new_servers();
  ASSERT_EQ(servers.size(), 1u);
  const auto input = fs::read_symlink(fmt::format("/proc/{}/fd/0", servers[0]));
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const FileDescriptor ours(ends[0]), theirs(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    // What a fork() closes in the child is closed before it returns there.
    if (::write(theirs.get(), "", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ours.get(), &byte, 1), 1);
  EXPECT_TRUE(has_open("self", input));
  EXPECT_FALSE(has_open(std::to_string(child), input));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(CompileServer, a_folder_for_sockets_that_others_may_enter_is_not_used) {
  fs::create_directory(folder_.path() / "kiln");
  fs::permissions(folder_.path() / "kiln", fs::perms::all);
  EXPECT_TRUE(compiles(0));
  EXPECT_EQ(sockets(), 0u);
  EXPECT_TRUE(new_servers().empty());
}

TEST_F(CompileServer, a_stale_socket_is_replaced) {
  EXPECT_TRUE(compiles(0));
  for (const pid_t server : new_servers()) ::kill(server, SIGSTOP), ::kill(server, SIGKILL);
  ASSERT_EQ(sockets(), 1u);
  EXPECT_TRUE(compiles(1));
  EXPECT_EQ(sockets(), 1u);
}

TEST(CompileServerMessage, are_read_as_they_were_written) {
  apart::ServerRequest request{
      "/tmp/x y", std::chrono::milliseconds(77), {{"A", "b c"}, {"D", ""}}};
  const auto read = apart::decode_request(apart::encode(request));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->folder, request.folder);
  EXPECT_EQ(read->limit, request.limit);
  EXPECT_EQ(read->environment, request.environment);
  ProcessResult result;
  result.exit_code = 4;
  result.signal = 11;
  result.timed_out = true;
  const auto back = apart::decode_result(apart::encode(result));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->exit_code, 4);
  EXPECT_EQ(back->signal, 11);
  EXPECT_TRUE(back->timed_out);
}

TEST(CompileServerMessage, what_is_none_is_refused) {
  using std::string_view_literals::operator""sv;
  for (const auto text : {""sv, "a"sv, "a\0b"sv, "a\0001\0c\0"sv})
    EXPECT_FALSE(apart::decode_request(text));
  for (const auto text : {""sv, "1 2"sv, "x"sv}) EXPECT_FALSE(apart::decode_result(text));
}

}  // namespace
}  // namespace kiln::testing
