#include "store/default_store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/data/number.hpp"
#include "base/data/text.hpp"
#include "base/log.hpp"
#include "base/os/environment.hpp"
#include "store/layer/layers.hpp"
#include "store/local/local_store.hpp"
#include "store/local/system_store.hpp"
#if KILN_WITH_REDIS
#include "store/redis/redis_store.hpp"
#endif
#include "store/trust/guarded_files.hpp"

namespace kiln {
namespace {

/// A variable's value, empty where it is not set or says off; `otherwise` where it is not set.
std::string setting(const char* name, const std::string& otherwise) {
  const std::string value = environment(name);
  if (value.empty()) return otherwise;
  return value == "off" ? "" : value;
}

std::uint64_t limit_setting() {
  const std::string value = environment("KILN_STORE_SIZE");
  if (value.empty()) return default_store_limit;
  if (value == "off") return 0;
  const auto bytes = parse_byte_count(value);
  if (bytes) return *bytes;
  log(LogLevel::warning, "KILN_STORE_SIZE: " + bytes.error().message());
  return default_store_limit;
}

std::chrono::milliseconds timeout_setting() {
  const auto otherwise = StoreSettings{}.shared_timeout;
  const std::string text = setting("KILN_SHARED_TIMEOUT", "");
  if (text.empty()) return otherwise;
  const auto value = parse_number<int>(text);
  if (value && *value >= 0) return std::chrono::milliseconds(*value);
  log(LogLevel::warning,
      fmt::format("KILN_SHARED_TIMEOUT: found '{}', expected milliseconds", one_line(text)));
  return otherwise;
}

/// Opens the store at a URL; cheap, connects at the first use. Errors: bad_input for a URL that is
/// none, unsupported in a build without Redis.
Expected<std::unique_ptr<SharedLayer>> open_redis(const std::string& url,
                                                  [[maybe_unused]] SharedOptions options) {
  auto parsed = parse_shared_url(url);
  if (!parsed) return tl::unexpected(parsed.error());
#if KILN_WITH_REDIS
  return std::make_unique<RedisStore>(*std::move(parsed), std::move(options));
#else
  return fail(Errc::unsupported, "this build has no shared store: it was made without hiredis");
#endif
}

}  // namespace

StoreSettings default_store_settings() {
  const bool shipped = ::access(default_system_store, F_OK) == 0;
  return {default_store_location().folder,
          setting("KILN_SYSTEM_STORE", shipped ? default_system_store : ""),
          setting("KILN_SHARED_STORE", ""), limit_setting(), timeout_setting()};
}

std::string store_folder_for(const std::string& asked) {
  const std::string network = asked.empty() ? "" : network_file_system(asked);
  if (network.empty()) return asked;
  const std::string folder = node_local_folder();
  log(LogLevel::warning,
      fmt::format("the store's folder {} is on {}; {} is used instead", asked, network, folder));
  return folder;
}

Expected<std::unique_ptr<SharedLayer>> open_shared_store(const StoreSettings& settings,
                                                         LogLevel failures) {
  SharedOptions options{settings.shared_timeout, default_trust(), {}, failures};
  // A key that cannot be read costs the signature, which others may ask for; not the run.
  auto signer = default_signing_key();
  if (signer)
    options.signer = *std::move(signer);
  else
    log(LogLevel::warning, "entries are shared unsigned: " + signer.error().message());
  return open_redis(settings.shared, std::move(options));
}

Expected<std::unique_ptr<Layer>> open_store(const StoreSettings& settings) {
  const std::string folder = store_folder_for(settings.local);
  std::unique_ptr<Layer> local;
  if (!folder.empty()) {
    auto store = std::make_unique<LocalStore>(folder);
    store->set_limit(settings.limit);
    local = std::move(store);
  }
  std::vector<LayeredStore::Below> below;
  if (!settings.system.empty())
    below.push_back({std::make_unique<SystemStore>(settings.system), false, false});
  if (!settings.shared.empty()) {
    auto shared = open_shared_store(settings);
    if (!shared) return tl::unexpected(shared.error());
    below.push_back({*std::move(shared), true, true});
  }
  if (below.empty()) return local;
  return std::make_unique<LayeredStore>(std::move(local), std::move(below));
}

}  // namespace kiln
