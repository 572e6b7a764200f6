// How large a store is, and making its file smaller.

#include <algorithm>

#include "store/database.hpp"

namespace kiln {

namespace {

using sqlite::StatementUse;

// Several entries may share a file.
constexpr const char* sum_of_files =
    "SELECT coalesce(sum(size), 0) FROM"
    " (SELECT max(size) AS size FROM entry WHERE blob IS NOT NULL GROUP BY blob)";

}  // namespace

Database::Attempt<Database::Size> Database::size() {
  Size size;
  if (empty()) return size;
  const auto pages = connection_.integer("PRAGMA page_count", 0);
  if (!pages) return tl::unexpected(pages.error());
  const auto unused = connection_.integer("PRAGMA freelist_count", 0);
  if (!unused) return tl::unexpected(unused.error());
  const auto page = connection_.integer("PRAGMA page_size", 0);
  if (!page) return tl::unexpected(page.error());
  size.database = (*pages - *unused) * *page;
  if (layout_ > 1) {
    const StatementUse use(read_total_);
    if (auto ready = read_total_.prepare(connection_); !ready) return tl::unexpected(ready.error());
    const auto row = read_total_.step();
    if (!row) return tl::unexpected(row.error());
    size.files = *row ? read_total_.integer(0) : -1;
    // No checksum covers this table, and a sum that is too large would evict what has its place.
    if (*row && size.files >= 0 && size.files == ~read_total_.integer(1)) return size;
  }
  const auto counted = connection_.integer(sum_of_files, 0);
  if (!counted) return tl::unexpected(counted.error());
  size.files = *counted;
  return size;
}

Database::Attempt<void> Database::add_file_bytes(std::int64_t change) {
  const auto present = size();
  if (!present) return tl::unexpected(present.error());
  const std::int64_t bytes = std::max<std::int64_t>(present->files + change, 0);
  const StatementUse use(write_total_);
  if (auto ready = write_total_.prepare(connection_); !ready) return ready;
  if (const auto done = write_total_.bind(bytes).bind(~bytes).step(); !done)
    return tl::unexpected(done.error());
  return {};
}

Database::Attempt<bool> Database::shrink(int pages) {
  const auto before = connection_.integer("PRAGMA freelist_count", 0);
  if (!before) return tl::unexpected(before.error());
  const std::string sql = "PRAGMA incremental_vacuum(" + std::to_string(pages) + ")";
  if (auto done = connection_.run(sql.c_str()); !done) return tl::unexpected(done.error());
  const auto after = connection_.integer("PRAGMA freelist_count", 0);
  if (!after) return tl::unexpected(after.error());
  return *after > 0 && *after < *before;
}

}  // namespace kiln
