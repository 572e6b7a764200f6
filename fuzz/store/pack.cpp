// Any bytes as a pack: refused with one line, or the only pack of what they give. No fuzzer finds
// the digest at the end, so the input is tried with the right one, too.

#include "store/pack.hpp"

#include <cstdlib>

#include "store/trust/trust.hpp"

using namespace kiln;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool same(ByteView a, ByteView b) { return as_text(a) == as_text(b); }

bool lies_in(ByteView part, ByteView whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check(ByteView bytes) {
  const auto entries = read_pack(bytes);
  if (!entries) {
    require(entries.error().message().find('\n') == std::string::npos);
    return;
  }
  const Trust any_maker, no_maker{true, {}, "a list"};
  for (const auto& entry : *entries) {
    require(lies_in(entry.content, bytes));
    require(entry.head.size == entry.content.size());
    require(entry.head.content == blake2b(entry.content));
    require(!no_maker.refusal(entry.signature, encode_head(entry.head)).empty());
    (void)any_maker.refusal(entry.signature, encode_head(entry.head));
  }
  const auto again = write_pack(*entries);
  require(again.has_value() && same(*again, bytes));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  check(bytes);
  append(bytes, blake2b(bytes).bytes);
  check(bytes);
  return 0;
}
