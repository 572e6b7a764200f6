#include "store/layer/shared_layer.hpp"

#include <fmt/format.h>
#include <sys/un.h>

#include <set>
#include <utility>

#include "base/data/bytes.hpp"
#include "base/data/number.hpp"

namespace kiln {
namespace {

constexpr std::string_view tcp_scheme = "redis://", unix_scheme = "unix://";

[[noreturn]] void refuse_url(std::size_t at, std::string_view expected) {
  throw Error(Errc::bad_input,
              fmt::format("the shared store's URL, byte {}: expected {}", at, expected));
}

/// The text with %XX resolved; nothing where a % is followed by something else, or gives a NUL.
std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      plain += text[at];
      continue;
    }
    const Bytes byte = from_hex(text.substr(at + 1, 2));
    if (byte.size() != 1 || byte.front() == std::byte{0}) return {};
    plain += static_cast<char>(byte.front());
    at += 2;
  }
  return plain;
}

/// Takes what a URL consists of from its front. Throws Error.
class UrlParser {
 public:
  explicit UrlParser(std::string_view text) : text_(text) {}

  SharedUrl parse() {
    const bool local = text_.starts_with(unix_scheme);
    if (!local && !text_.starts_with(tcp_scheme)) refuse_url(0, "redis:// or unix://");
    at_ = (local ? unix_scheme : tcp_scheme).size();
    credentials();
    local ? path() : host();
    return std::move(url_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void credentials() {
    // The last @: a password may hold one. Nothing that may follow it can.
    const auto end = rest().rfind('@');
    if (end == std::string_view::npos) return;
    const auto given = rest().substr(0, end);
    const auto colon = given.find(':');
    if (colon == std::string_view::npos) refuse_url(at_, "[user]:password before the @");
    const auto user = unescaped(given.substr(0, colon));
    const auto password = unescaped(given.substr(colon + 1));
    if (!user || !password) refuse_url(at_, "%XX for a special character before the @");
    if (password->empty()) refuse_url(at_ + colon + 1, "a password before the @");
    url_.user = *user;
    url_.password = *password;
    at_ += end + 1;
  }

  void host() {
    const bool address = rest().starts_with('[');
    const auto end = std::min(rest().find_first_of(address ? "]" : ":/?#"), rest().size());
    if (address && end == rest().size()) refuse_url(text_.size(), "] after an IPv6 address");
    url_.host = rest().substr(address, end - address);
    if (url_.host.empty()) refuse_url(at_, "a host");
    for (const char c : url_.host)
      if (c <= ' ' || c == 127) refuse_url(at_, "a host without blanks");
    at_ += end + address;
    if (rest().starts_with(':')) {
      const auto number = rest().substr(1, std::min(rest().find('/'), rest().size()) - 1);
      url_.port = parse_number<std::uint16_t>(number).value_or(0);
      if (url_.port == 0) refuse_url(at_ + 1, "a port from 1 to 65535");
      at_ += 1 + number.size();
    }
    if (rest().empty() || rest() == "/") return;
    if (rest().front() != '/') refuse_url(at_, "/ and a database's number");
    database(at_ + 1);
  }

  void path() {
    const auto end = std::min(rest().find('?'), rest().size());
    const auto path = unescaped(rest().substr(0, end));
    if (!path || !path->starts_with('/')) refuse_url(at_, "an absolute path, with %XX for a %");
    if (path->size() >= sizeof(sockaddr_un::sun_path))
      refuse_url(at_, fmt::format("a path of less than {} bytes", sizeof(sockaddr_un::sun_path)));
    url_.socket = *path;
    at_ += end;
    if (rest().empty()) return;
    if (!rest().starts_with("?db=")) refuse_url(at_, "?db=N");
    database(at_ + 4);
  }

  void database(std::size_t at) {
    url_.database = parse_number<int>(text_.substr(at)).value_or(-1);
    if (url_.database < 0 || url_.database > 1'000'000) refuse_url(at, "a database's number");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  SharedUrl url_;
};

}  // namespace

std::string SharedUrl::shown() const {
  if (host.empty())
    return fmt::format("unix://{}{}", socket, database == 0 ? "" : fmt::format("?db={}", database));
  const bool address = host.find(':') != std::string::npos;
  return fmt::format("redis://{}{}{}:{}{}", address ? "[" : "", host, address ? "]" : "", port,
                     database == 0 ? "" : fmt::format("/{}", database));
}

Expected<SharedUrl> parse_shared_url(std::string_view text) {
  return guarded([&] { return UrlParser(text).parse(); });
}

std::string shown_shared_url(std::string_view text) {
  if (text.empty() || text == "off") return std::string(text);
  const auto url = parse_shared_url(text);
  if (url) return url->shown();
  return "(no URL of a shared store)";
}

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

}  // namespace kiln
