#include "store/shared_layer.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "store/shared_url.hpp"
#if KILN_WITH_REDIS
#include "store/redis/redis_store.hpp"
#endif

namespace kiln {

Expected<std::vector<SharedLayer::Place>> list_all(SharedLayer& shared,
                                                   const std::function<void()>& between) {
  // A page of Redis is of 500 names, of whatever program.
  constexpr std::size_t most_pages = 100'000, most_places = 1'000'000;
  std::set<SharedLayer::Place> places;
  std::string cursor;
  for (std::size_t pages = 0; pages < most_pages && places.size() <= most_places; ++pages) {
    between();
    auto page = shared.list(cursor);
    if (!page) return fail(page.error().code(), shared.where() + ": " + page.error().message());
    places.insert(page->places.begin(), page->places.end());
    if (page->cursor.empty()) return std::vector(places.begin(), places.end());
    if (page->cursor == cursor) break;
    cursor = std::move(page->cursor);
  }
  return fail(
      Errc::corrupt,
      fmt::format("the list of {} does not end: a repeated cursor, or more than {} pages or "
                  "{} entries",
                  shared.where(), most_pages, most_places));
}

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
