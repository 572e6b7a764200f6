#include "spec/tune/search_service.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "base/log.hpp"
#include "base/os/environment.hpp"
#include "base/os/process.hpp"
#include "kernel/apart/helper.hpp"

// ---- How requests and messages are written: nlohmann's conversions of what the standard library
// has, and of our structures member by member.

template <>
struct nlohmann::adl_serializer<std::chrono::milliseconds> {
  static void to_json(json& to, std::chrono::milliseconds time) { to = time.count(); }
  static void from_json(const json& from, std::chrono::milliseconds& time) {
    time = std::chrono::milliseconds(from.get<std::int64_t>());
  }
};

template <>
struct nlohmann::adl_serializer<std::optional<double>> {
  static void to_json(json& to, const std::optional<double>& number) {
    to = number ? json(*number) : json();
  }
  static void from_json(const json& from, std::optional<double>& number) {
    if (!from.is_null()) number = from.get<double>();
  }
};

/// As users write one behind "name=".
template <>
struct nlohmann::adl_serializer<kiln::expr::Value> {
  static void to_json(json& to, const kiln::expr::Value& value) { to = value.text(); }
  static void from_json(const json& from, kiln::expr::Value& value) {
    value =
        kiln::value_or_throw(kiln::spec::parse_symbol("value=" + from.get<std::string>())).second;
  }
};

namespace kiln {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RecordedDevice, name, fingerprint, units)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StoreSettings, local, system, shared, limit, shared_timeout)
}  // namespace kiln

namespace kiln::tune {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SearchSettings, strategy, seed, budget, evaluations, jobs,
                                   hang_time, fresh, from_scratch, journal)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Progress, evaluated, failed, configurations, best_seconds, best)
/// What the journal does not have.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Result, journal, evaluated, failed, resumed, started_from,
                                   compiling_seconds, run_seconds, whole_seconds,
                                   replaced_processes, printed)
}  // namespace kiln::tune

namespace kiln::spec {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Symbols, set, set_if)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SpecTuning, file, dialect, symbols, dataset, source_dirs,
                                   parameters, constraints, inputs, expect, seed, rtol)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SearchRequest, tuning, device, store, settings)

namespace {

using Wire = nlohmann::json;

constexpr std::uint64_t most_request_bytes = 16u << 20;
/// Of one message; what is longer (a build log) is cut by its end.
constexpr std::size_t most_message_bytes = 64 << 10;
constexpr std::size_t most_text = 16 << 10;
/// How often it is asked whether to stop, and how long a search that was told to may take.
constexpr std::chrono::milliseconds stop_period{50}, longest_end{300};

std::string dumped(const Wire& json) {
  return json.dump(-1, ' ', false, Wire::error_handler_t::replace);
}

// ---- Messages

/// The socket, whose messages arrive whole. Thread-safe.
bool send_message(int channel, const Wire& json) {
  const std::string text = dumped(json);
  return ::send(channel, text.data(), text.size(), MSG_NOSIGNAL) >= 0;
}

std::string beginning_of(const std::string& text) { return text.substr(0, most_text); }

// ---- The helper

/// Whether the other end has asked to stop, or is gone.
bool is_told_to_stop(int channel) {
  char word = 0;
  const ssize_t got = ::recv(channel, &word, 1, MSG_DONTWAIT);
  return got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

tune::Result serve(const SearchRequest& request, int channel) {
  auto tunable = value_or_throw(make_spec_tunable(request.tuning));
  const auto find = [device = request.device] {
    return value_or_throw(find_devices(std::span(&device, 1))).front();
  };
  tune::SearchTask task{std::move(tunable), tune::look_at_device(find), find, request.store};
  tune::Result result;
  const auto begins = [&](const tune::SearchBeginning& beginning) {
    result.journal = beginning.journal;
    send_message(channel, {{"journal", beginning.journal},
                           {"resumed", beginning.resumed},
                           {"started_from", beginning.started_from}});
  };
  const auto state = [&](const tune::TunerState& now) {
    tune::Progress progress{now.evaluated, now.failed, now.size};
    if (now.best) {
      progress.best_seconds = now.best->outcome.time;
      progress.best = task.tunable->space().text(now.best->id);
    }
    send_message(channel, {{"progress", progress}});
    return !is_told_to_stop(channel);
  };
  auto lock = tune::MachineLock::open();
  // Another user may have taken its name, which must not prevent tuning.
  if (!lock) log(LogLevel::warning, lock.error().message());
  const auto found =
      tune::conduct_search(task, request.settings, lock ? &*lock : nullptr, {state, begins});
  result.evaluated = found.state.evaluated;
  result.failed = found.state.failed;
  result.resumed = found.resumed;
  result.started_from = found.started_from;
  result.compiling_seconds = found.compiling;
  result.run_seconds = found.running;
  result.whole_seconds = found.seconds;
  result.replaced_processes = found.replaced;
  result.printed = found.printed;
  return result;
}

// ---- The application

std::filesystem::path find_tune_helper() {
  if (const auto named = environment("KILN_TUNE_HELPER"); !named.empty()) return named;
  static const auto found = find_helper("kiln-tune");
  return found;
}

/// The helper while it runs; it goes with this object.
class Helper {
 public:
  Helper(ChildProcess child, FileDescriptor channel)
      : child_(std::move(child)), channel_(std::move(channel)) {}
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  ~Helper() { end(); }

  /// Whether there is something to be heard, or the other end is closed, within that time.
  bool can_hear(std::chrono::milliseconds longest) const {
    pollfd wait{channel_.get(), POLLIN, 0};
    return ::poll(&wait, 1, static_cast<int>(longest.count())) > 0;
  }
  /// Nothing once the other end is closed.
  std::optional<Wire> hear() {
    std::string text(most_message_bytes, '\0');
    ssize_t got = 0;
    // ECONNRESET: the helper has ended without reading that it was told to stop. What it said
    // before that is still there, and comes next.
    do {
      got = ::recv(channel_.get(), text.data(), text.size(), 0);
    } while (got < 0 && (errno == EINTR || errno == ECONNRESET));
    if (got <= 0) return std::nullopt;
    text.resize(static_cast<std::size_t>(got));
    auto json = Wire::parse(text, nullptr, false);
    return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
  }
  void stop() { (void)::send(channel_.get(), "s", 1, MSG_NOSIGNAL | MSG_DONTWAIT); }
  /// Kills it where it lives; how it ended where it had ended by itself.
  std::string end() {
    if (child_.pid < 0) return "";
    constexpr int patience = 1000;  // its socket closes a moment before it ends
    pollfd gone{channel_.get(), POLLHUP, 0};
    if (::poll(&gone, 1, 0) == 0 || (gone.revents & POLLHUP) == 0) ::kill(child_.pid, SIGKILL);
    int status = 0;
    for (int waited = 0; ::waitpid(child_.pid, &status, WNOHANG) == 0; ++waited) {
      if (waited == patience) ::kill(child_.pid, SIGKILL);
      ::poll(nullptr, 0, 1);
    }
    child_.pid = -1;
    return WIFSIGNALED(status) ? " (" + signal_name(WTERMSIG(status)) + ")" : "";
  }

 private:
  ChildProcess child_;
  FileDescriptor channel_;
};

Expected<std::unique_ptr<Helper>> start_helper(const std::filesystem::path& request) {
  ProcessRequest process;
  process.program = find_tune_helper();
  if (process.program.empty())
    return fail(Errc::unsupported,
                "the helper kiln-tune, which makes searches for the library, is absent");
  process.arguments = {request.string()};
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return tl::unexpected(io_error("make a socket for", process.program, errno));
  FileDescriptor ours(ends[0]), theirs(ends[1]);
  auto child = start_process(process, theirs.get());
  if (!child) return fail(Errc::unsupported, "the helper kiln-tune: " + child.error().message());
  return std::make_unique<Helper>(*std::move(child), std::move(ours));
}

}  // namespace

std::string text_of(const SearchRequest& request) { return dumped(request); }

Expected<SearchRequest> search_request_of(std::string_view text) {
  try {
    return expected_from([&] { return Wire::parse(text).get<SearchRequest>(); });
  } catch (const Wire::exception& error) {
    return fail(Errc::bad_input, std::string("not a request for a search: ") + error.what());
  }
}

int serve_search(const std::filesystem::path& file, int channel) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // At a terminal Ctrl-C reaches the application, too, which then says whether to stop.
  ::signal(SIGINT, SIG_IGN);
  // A compile server that is started on the way outlives this process.
  ::fcntl(channel, F_SETFD, FD_CLOEXEC);
  set_log_sink([channel](LogLevel level, std::string_view message) {
    send_message(channel,
                 {{"log", beginning_of(std::string(message))}, {"level", static_cast<int>(level)}});
  });
  try {
    const auto request =
        value_or_throw(search_request_of(value_or_throw(read_text(file, most_request_bytes))));
    send_message(channel, {{"reply", serve(request, channel)}});
    return 0;
  } catch (const Error& error) {
    send_message(channel, {{"error", beginning_of(error.message())},
                           {"code", static_cast<int>(error.code())}});
  } catch (const std::exception& error) {
    send_message(channel, {{"error", beginning_of(error.what())},
                           {"code", static_cast<int>(Errc::internal)}});
  }
  return 1;
}

HelpedSearch search_in_helper(const SearchRequest& request, const SearchListener& listener) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-tune-request"));
  const auto file = folder.path() / "request";
  value_or_throw(write_file(file, as_bytes(text_of(request)), 0600));
  const Stopwatch watch;
  tune::Result so_far;
  if (listener.stop && listener.stop()) return {so_far};
  const auto helper = value_or_throw(start_helper(file));
  bool stopped = false;
  std::optional<std::chrono::steady_clock::time_point> patience;  // until when, once told to stop
  for (;;) {
    if (!patience && listener.stop && listener.stop()) {
      // One that waits for a compile or a run hears nothing: it gets a moment to end in good order.
      helper->stop();
      patience = std::chrono::steady_clock::now() + longest_end;
    }
    if (patience && std::chrono::steady_clock::now() >= *patience) {
      helper->end();
      so_far.whole_seconds = watch.seconds();
      return {so_far};
    }
    if (!helper->can_hear(stop_period)) continue;
    const auto message = helper->hear();
    if (!message) break;
    if (message->contains("reply")) return {(*message)["reply"].get<tune::Result>(), true};
    if (message->contains("error"))
      throw Error(static_cast<Errc>(message->value("code", 0)), (*message)["error"]);
    if (message->contains("log"))
      log(static_cast<LogLevel>(message->value("level", 0)),
          (*message)["log"].get_ref<const std::string&>());
    if (message->contains("journal")) {
      so_far.journal = (*message)["journal"].get<std::filesystem::path>();
      so_far.resumed = (*message)["resumed"];
      so_far.started_from = (*message)["started_from"];
    }
    if (!message->contains("progress")) continue;
    const auto progress = (*message)["progress"].get<tune::Progress>();
    so_far.evaluated = progress.evaluated;
    so_far.failed = progress.failed;
    if (listener.progress && !stopped && !listener.progress(progress)) {
      stopped = true;
      helper->stop();
    }
  }
  throw Error(Errc::device, "the process that makes the search died" + helper->end());
}

}  // namespace kiln::spec
