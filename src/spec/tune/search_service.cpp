#include "spec/tune/search_service.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "base/log.hpp"
#include "base/os/environment.hpp"
#include "base/os/process.hpp"
#include "kernel/apart/helper.hpp"

namespace kiln::spec {
namespace {

using Wire = nlohmann::ordered_json;

constexpr std::uint64_t most_request_bytes = 16u << 20;
/// Of one message; what is longer (a build log) is cut by its end.
constexpr std::size_t most_message_bytes = 64 << 10;
constexpr std::size_t most_text = 16 << 10;

// ---- The request

Wire json_of(const std::map<std::string, expr::Value>& symbols) {
  Wire json = Wire::object();
  for (const auto& [name, value] : symbols) json[name] = value.text();
  return json;
}

std::map<std::string, expr::Value> symbols_of(const Wire& json) {
  std::map<std::string, expr::Value> symbols;
  for (const auto& [name, text] : json.items())
    symbols.insert(value_or_throw(parse_symbol(name + "=" + text.get<std::string>())));
  return symbols;
}

Wire json_of(const Files& files) {
  Wire json = Wire::array();
  for (const auto& [position, file] : files) json.push_back({position, file.string()});
  return json;
}

Files files_of(const Wire& json) {
  Files files;
  for (const auto& one : json) files[one[0].get<std::uint32_t>()] = one[1].get<std::string>();
  return files;
}

std::vector<std::string> strings_of(const std::vector<std::filesystem::path>& paths) {
  return {paths.begin(), paths.end()};
}

Wire json_of(const SpecTuning& tuning) {
  Wire json{{"file", tuning.file.string()},
            {"dialect", name_of(tuning.dialect)},
            {"set", json_of(tuning.symbols.set)},
            {"set_if", json_of(tuning.symbols.set_if)},
            {"dataset", tuning.dataset},
            {"source_dirs", strings_of(tuning.source_dirs)},
            {"parameters", tuning.parameters},
            {"constraints", tuning.constraints},
            {"inputs", json_of(tuning.inputs)},
            {"expect", json_of(tuning.expect)},
            {"seed", tuning.seed}};
  if (tuning.rtol) json["rtol"] = *tuning.rtol;
  return json;
}

SpecTuning tuning_of(const Wire& json) {
  SpecTuning tuning;
  tuning.file = json.at("file").get<std::string>();
  tuning.dialect = value_or_throw(parse_dialect(json.at("dialect").get<std::string>()));
  tuning.symbols = {symbols_of(json.at("set")), symbols_of(json.at("set_if"))};
  tuning.dataset = json.at("dataset");
  for (const std::string folder : json.at("source_dirs")) tuning.source_dirs.emplace_back(folder);
  tuning.parameters = json.at("parameters");
  tuning.constraints = json.at("constraints");
  tuning.inputs = files_of(json.at("inputs"));
  tuning.expect = files_of(json.at("expect"));
  tuning.seed = json.at("seed");
  if (json.contains("rtol")) tuning.rtol = json["rtol"].get<double>();
  return tuning;
}

Wire json_of(const StoreSettings& store) {
  return {{"local", store.local},
          {"system", store.system},
          {"shared", store.shared},
          {"limit", store.limit},
          {"shared_timeout", store.shared_timeout.count()}};
}

StoreSettings store_of(const Wire& json) {
  StoreSettings store;
  store.local = json.at("local");
  store.system = json.at("system");
  store.shared = json.at("shared");
  store.limit = json.at("limit");
  store.shared_timeout = std::chrono::milliseconds(json.at("shared_timeout").get<std::int64_t>());
  return store;
}

Wire json_of(const tune::SearchSettings& settings) {
  return {{"strategy", settings.strategy},
          {"seed", settings.seed},
          {"budget", settings.budget.count()},
          {"evaluations", settings.evaluations},
          {"jobs", settings.jobs},
          {"hang_time", settings.hang_time.count()},
          {"fresh", settings.fresh},
          {"from_scratch", settings.from_scratch},
          {"journal", settings.journal.string()}};
}

tune::SearchSettings settings_of(const Wire& json) {
  const auto time = [&](const char* name) {
    return std::chrono::milliseconds(json.at(name).get<std::int64_t>());
  };
  tune::SearchSettings settings;
  settings.strategy = json.at("strategy");
  settings.seed = json.at("seed");
  settings.budget = time("budget");
  settings.evaluations = json.at("evaluations");
  settings.jobs = json.at("jobs");
  settings.hang_time = time("hang_time");
  settings.fresh = json.at("fresh");
  settings.from_scratch = json.at("from_scratch");
  settings.journal = json.at("journal").get<std::string>();
  return settings;
}

// ---- Messages

/// The socket, whose messages arrive whole. Thread-safe.
bool send_message(int channel, const Wire& json) {
  const std::string text = tune::dumped(json);
  return ::send(channel, text.data(), text.size(), MSG_NOSIGNAL) >= 0;
}

std::string beginning_of(const std::string& text) { return text.substr(0, most_text); }

Wire json_of(const SearchReply& reply) {
  return {{"journal", reply.journal.string()},
          {"evaluated", reply.evaluated},
          {"failed", reply.failed},
          {"resumed", reply.resumed},
          {"replaced", reply.replaced},
          {"started_from", reply.started_from},
          {"printed", reply.printed},
          {"seconds", reply.seconds},
          {"compiling", reply.compiling},
          {"running", reply.running}};
}

SearchReply reply_of(const Wire& json) {
  SearchReply reply;
  reply.journal = json.at("journal").get<std::string>();
  reply.evaluated = json.at("evaluated");
  reply.failed = json.at("failed");
  reply.resumed = json.at("resumed");
  reply.replaced = json.at("replaced");
  reply.started_from = json.at("started_from");
  reply.printed = json.at("printed");
  reply.seconds = json.at("seconds");
  reply.compiling = json.at("compiling");
  reply.running = json.at("running");
  return reply;
}

// ---- The helper

/// Whether the other end has asked to stop, or is gone.
bool is_told_to_stop(int channel) {
  char word = 0;
  const ssize_t got = ::recv(channel, &word, 1, MSG_DONTWAIT);
  return got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

SearchReply serve(const SearchRequest& request, int channel) {
  auto tunable = value_or_throw(make_spec_tunable(request.tuning));
  const auto find = [device = request.device] {
    return value_or_throw(find_devices(std::span(&device, 1))).front();
  };
  tune::SearchTask task{std::move(tunable), tune::look_at_device(find), find, request.store};
  const auto& space = task.tunable->space();
  SearchReply reply;
  reply.journal =
      tune::journal_path(tune::journal_subject(task, request.settings), request.settings);
  const auto state = [&](const tune::TunerState& now) {
    Wire json{{"evaluated", now.evaluated}, {"failed", now.failed}, {"configurations", now.size}};
    if (now.best)
      json.update({{"best_seconds", now.best->outcome.time}, {"best", space.text(now.best->id)}});
    send_message(channel, {{"progress", json}});
    return !is_told_to_stop(channel);
  };
  auto lock = tune::MachineLock::open();
  // Another user may have taken its name, which must not prevent tuning.
  if (!lock) log(LogLevel::warning, lock.error().message());
  const auto result =
      tune::conduct_search(task, request.settings, lock ? &*lock : nullptr, {state});
  reply.evaluated = result.state.evaluated;
  reply.failed = result.state.failed;
  reply.resumed = result.resumed;
  reply.replaced = result.replaced;
  reply.started_from = result.started_from;
  reply.printed = result.printed;
  reply.seconds = result.seconds;
  reply.compiling = result.compiling;
  reply.running = result.running;
  return reply;
}

// ---- The application

std::filesystem::path find_tune_helper() {
  if (const auto named = environment("KILN_TUNE_HELPER"); !named.empty()) return named;
  static const auto found = find_helper("kiln-tune");
  return found;
}

tune::Progress progress_of(const Wire& json) {
  return {json.value("evaluated", std::size_t{0}), json.value("failed", std::size_t{0}),
          json.value("configurations", std::uint64_t{0}), json.value("best_seconds", 0.0),
          json.value("best", "")};
}

/// The helper while it runs; it goes with this object.
class Helper {
 public:
  Helper(ChildProcess child, FileDescriptor channel)
      : child_(std::move(child)), channel_(std::move(channel)) {}
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  ~Helper() { end(); }

  /// Nothing once the other end is closed.
  std::optional<Wire> hear() {
    std::string text(most_message_bytes, '\0');
    ssize_t got = 0;
    do {
      got = ::recv(channel_.get(), text.data(), text.size(), 0);
    } while (got < 0 && errno == EINTR);
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

std::string text_of(const SearchRequest& request) {
  return tune::dumped({{"tuning", json_of(request.tuning)},
                       {"device",
                        {{"name", request.device.name},
                         {"fingerprint", request.device.fingerprint},
                         {"units", request.device.units}}},
                       {"store", json_of(request.store)},
                       {"settings", json_of(request.settings)}});
}

Expected<SearchRequest> search_request_of(std::string_view text) {
  try {
    const Wire json = Wire::parse(text);
    const Wire& device = json.at("device");
    return SearchRequest{tuning_of(json.at("tuning")),
                         {device.at("name"), device.at("fingerprint"), device.at("units")},
                         store_of(json.at("store")),
                         settings_of(json.at("settings"))};
  } catch (const Wire::exception& error) {
    return fail(Errc::bad_input, std::string("not a request for a search: ") + error.what());
  } catch (const Error& error) {
    return tl::unexpected(error);
  }
}

int serve_search(const std::filesystem::path& file, int channel) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A compile server that is started on the way outlives this process.
  ::fcntl(channel, F_SETFD, FD_CLOEXEC);
  set_log_sink([channel](LogLevel level, std::string_view message) {
    send_message(channel,
                 {{"log", beginning_of(std::string(message))}, {"level", static_cast<int>(level)}});
  });
  try {
    const auto request =
        value_or_throw(search_request_of(value_or_throw(read_text(file, most_request_bytes))));
    send_message(channel, {{"reply", json_of(serve(request, channel))}});
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

SearchReply search_in_helper(const SearchRequest& request,
                             const std::function<bool(const tune::Progress&)>& progress) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-tune-request"));
  const auto file = folder.path() / "request";
  value_or_throw(write_file(file, as_bytes(text_of(request)), 0600));
  const auto helper = value_or_throw(start_helper(file));
  bool stopped = false;
  while (const auto message = helper->hear()) {
    if (message->contains("reply")) return reply_of((*message)["reply"]);
    if (message->contains("error"))
      throw Error(static_cast<Errc>(message->value("code", 0)), (*message)["error"]);
    if (message->contains("log"))
      log(static_cast<LogLevel>(message->value("level", 0)),
          (*message)["log"].get_ref<const std::string&>());
    if (message->contains("progress") && progress && !stopped &&
        !progress(progress_of((*message)["progress"]))) {
      stopped = true;
      helper->stop();
    }
  }
  throw Error(Errc::device, "the process that makes the search died" + helper->end());
}

}  // namespace kiln::spec
