#include "tune/share/board.hpp"

#include "store/shared_url.hpp"

#if KILN_WITH_REDIS
#include "tune/redis/redis_board.hpp"
#endif

namespace kiln::tune {

Expected<MakeBoard> shared_board(const StoreSettings& settings,
                                 [[maybe_unused]] const std::string& search,
                                 [[maybe_unused]] const BoardTimes& times) {
  if (settings.shared.empty())
    return fail(Errc::bad_input, "--share: found no shared store, expected --shared-store URL");
  const auto url = parse_shared_url(settings.shared);
  if (!url) return tl::unexpected(url.error());
#if KILN_WITH_REDIS
  return MakeBoard([url = *url, search, times, timeout = settings.shared_timeout] {
    return std::make_unique<RedisBoard>(url, search, times, timeout);
  });
#else
  return fail(Errc::unsupported, "this build has no shared store: it was made without hiredis");
#endif
}

}  // namespace kiln::tune
