#include "cli/store/transfer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/json_line.hpp"
#include "cli/output.hpp"

namespace kiln::cli {

Transfer::Transfer(const Context& context, std::string_view verb, std::string where,
                   std::size_t total)
    : json_(context.flag("json")),
      done_word_(fmt::format("{}ed", verb)),
      where_(std::move(where)),
      progress_(std::string(verb), total) {}

void Transfer::done(kiln::Kind kind, const Key& key, std::uint64_t bytes) {
  ++done_;
  bytes_ += bytes;
  if (json_) tell(done_word_, kind, key, "");
  progress_.advance(1, key.hex());
}

void Transfer::present(kiln::Kind kind, const Key& key) {
  ++present_;
  if (json_) tell("present", kind, key, "");
  progress_.advance();
}

void Transfer::refused(kiln::Kind kind, const Key& key, const std::string& reason) {
  ++refused_;
  tell("refused", kind, key, reason);
}

void Transfer::failed(kiln::Kind kind, const Key& key, const std::string& reason) {
  ++failed_;
  tell("failed", kind, key, reason);
}

void Transfer::not_tried(kiln::Kind kind, const Key& key) {
  ++failed_;
  ++not_tried_;
  // One line has said that the server is out of reach; programs read of every entry.
  if (json_) tell("failed", kind, key, "not tried: the server is out of reach");
}

void Transfer::tell(std::string_view state, kiln::Kind kind, const Key& key,
                    const std::string& reason) {
  progress_.hide();
  if (json_)
    print_json({{"state", state}, {"kind", name_of(kind)}, {"key", key.hex()}, {"reason", reason}});
  else
    complain(fmt::format("{} {} {}: {}", name_of(kind), key.hex(), state, reason));
}

int Transfer::finish() {
  progress_.hide();
  if (json_) {
    print_json({{"shared_store", where_},
                {done_word_, done_},
                {"bytes", bytes_},
                {"present", present_},
                {"refused", refused_},
                {"failed", failed_},
                {"not_tried", not_tried_}});
  } else {
    std::string text = fmt::format("{} {} {}, {}", done_word_, done_,
                                   done_ == 1 ? "entry" : "entries", byte_count_text(bytes_));
    if (present_ > 0) text += fmt::format("; {} here already", present_);
    if (refused_ > 0) text += fmt::format("; {} refused", refused_);
    if (failed_ > 0) text += fmt::format("; {} failed", failed_);
    if (not_tried_ > 0)
      text += fmt::format(", of which {} not tried: the server is out of reach", not_tried_);
    print(fmt::format("{} ({})\n", text, where_));
  }
  return failed_ == 0 ? 0 : 1;
}

}  // namespace kiln::cli
