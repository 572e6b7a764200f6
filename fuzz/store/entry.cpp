// Any bytes as a travelling entry, and as the head of one: refused with one line, or the only
// encoding of what they give.

#include <cstdlib>

#include "store/layer/entry_form.hpp"

using namespace kiln;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool same(ByteView a, ByteView b) { return as_text(a) == as_text(b); }

void check_head(ByteView bytes) {
  const auto head = decode_head(bytes);
  if (!head) {
    require(head.error().message().find('\n') == std::string::npos);
    return;
  }
  require(same(encode_head(*head), bytes));
  require(head->key == key_of(head->canonical));
  require(kept_metadata(head->metadata) == head->metadata);
}

void check_entry(ByteView bytes) {
  const auto entry = decode_entry(bytes);
  if (!entry) {
    require(entry.error().message().find('\n') == std::string::npos);
    return;
  }
  require(same(encode_entry(entry->head, entry->signature, entry->content), bytes));
  require(same(encode_head(entry->head), entry->head_bytes));
  require(entry->head.size == entry->content.size());
  require(entry->head.content == blake2b(entry->content));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  check_head(bytes);
  check_entry(bytes);
  // The input as the head of a sound entry, whose digest no fuzzer would find.
  if (const auto head = decode_head(bytes); head && head->size == 0) {
    const auto entry = decode_entry(encode_entry(*head, {}, {}));
    require(entry.has_value() == (head->content == blake2b({})));
  }
  return 0;
}
