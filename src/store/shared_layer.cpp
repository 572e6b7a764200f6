#include "store/shared_layer.hpp"

#include "store/shared_url.hpp"
#if KILN_WITH_REDIS
#include "store/redis/redis_store.hpp"
#endif

namespace kiln {

Expected<std::unique_ptr<SharedLayer>> open_shared_store(const std::string& url,
                                                         [[maybe_unused]] SharedOptions options) {
  auto parsed = parse_shared_url(url);
  if (!parsed) return tl::unexpected(parsed.error());
#if KILN_WITH_REDIS
  return std::make_unique<RedisStore>(*std::move(parsed), std::move(options));
#else
  return fail(Errc::unsupported, "this build has no shared store: it was made without hiredis");
#endif
}

}  // namespace kiln
