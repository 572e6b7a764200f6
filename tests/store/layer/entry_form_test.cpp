// Entries as they travel: one encoding each, and safe on any bytes.

#include "store/layer/entry_form.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "store/travel_support.hpp"
#include "store/trust/trust.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::HasSubstr;

const Bytes entry_content = content_of(1, 1, 500);

std::string head_error(const EntryHead& head) {
  const auto decoded = decode_head(encode_head(head));
  return decoded ? "" : decoded.error().message();
}

TEST(EntryHead, comes_back_from_its_bytes) {
  const auto head = full_head(entry_content);
  const auto again = decode_head(encode_head(head));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(*again, head);
  EXPECT_EQ(again->key, Sample(1).key);
  EXPECT_EQ(again->size, 500u);
  EXPECT_EQ(again->content, blake2b(entry_content));
}

TEST(EntryHead, every_field_changes_the_bytes) {
  std::vector<Bytes> all{encode_head(full_head(entry_content))};
  const auto differs = [&](const auto& change) {
    auto head = full_head(entry_content);
    change(head);
    all.push_back(encode_head(head));
    for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_NE(all.back(), all[i]);
  };
  differs([](auto& head) { head.kind = Kind::plan; });
  differs([](auto& head) { head.canonical.pop_back(); });
  differs([](auto& head) { ++head.metadata.schema; });
  differs([](auto& head) { head.metadata.label += "x"; });
  differs([](auto& head) { head.metadata.fingerprint += "x"; });
  differs([](auto& head) { head.metadata.cost_seconds *= 2; });
  differs([](auto& head) { head.metadata.source.reset(); });
  differs([](auto& head) { head.metadata.options += "x"; });
  differs([](auto& head) { head.metadata.build_log += "x"; });
  differs([](auto& head) { ++head.size; });
  differs([](auto& head) { head.content = blake2b({}); });
}

TEST(EntryHead, where_an_entry_came_from_is_not_in_it) {
  const auto head = full_head(entry_content);
  const auto signature = SigningKey::generate().sign(encode_head(head));
  const Metadata stored = metadata_from_elsewhere(head, signature);
  EXPECT_TRUE(stored.made_elsewhere);
  EXPECT_EQ(stored.signature, signature);
  const auto again = head_of(head.kind, head.canonical, entry_content, stored);
  EXPECT_EQ(again, head);
  EXPECT_TRUE(verifies(*stored.signature, encode_head(again))) << "a signature lasts";
}

TEST(EntryHead, what_the_store_would_change_is_refused) {
  auto head = full_head(entry_content);
  head.metadata.build_log = "/home/me/blur.cl:3";
  EXPECT_THAT(head_error(head), HasSubstr("build log: it names a folder"));
  head = full_head(entry_content);
  head.metadata.options = "-I/home/me/include";
  EXPECT_THAT(head_error(head), HasSubstr("options: it names a folder"));
  head.metadata.options = std::string(Metadata::longest_detail + 1, 'x');
  EXPECT_THAT(head_error(head), HasSubstr("options: 16385 bytes found, at most 16384 expected"));
  head.metadata.options.pop_back();
  EXPECT_EQ(head_error(head), "");
  head.metadata.label = std::string(4097, 'x');
  EXPECT_THAT(head_error(head), HasSubstr("label: 4097 bytes"));
  head = full_head(entry_content);
  head.metadata.fingerprint = std::string(4097, 'x');
  EXPECT_THAT(head_error(head), HasSubstr("fingerprint: 4097 bytes"));
  head = full_head(entry_content);
  head.canonical.resize((1 << 20) + 1);
  EXPECT_THAT(head_error(head), HasSubstr("canonical bytes: 1048577 bytes"));
  for (const double cost : {-1.0, -0.0, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    head = full_head(entry_content);
    head.metadata.cost_seconds = cost;
    EXPECT_THAT(head_error(head), HasSubstr("cost: finite seconds"));
  }
}

TEST(EntryHead, another_kind_or_version_is_refused) {
  auto head = full_head(entry_content);
  head.kind = static_cast<Kind>(4);
  EXPECT_EQ(head_error(head), "entry head, byte 20, kind: 4 found, 1, 2 or 3 expected");
  head.kind = static_cast<Kind>(0);
  EXPECT_THAT(head_error(head), HasSubstr("kind: 0 found"));
  const auto newer = decode_head(with_flip(encode_head(full_head(entry_content)), 16, 3));
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code(), Errc::unsupported);
  EXPECT_EQ(newer.error().message(), "entry head, byte 16, version: 2 found, 1 expected");
}

TEST(EntryHead, every_changed_bit_is_refused_or_breaks_the_signature) {
  const Bytes bytes = encode_head(full_head(entry_content));
  const auto signature = SigningKey::generate().sign(bytes);
  int refused = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const Bytes changed = with_flip(bytes, bit / 8, 1 << bit % 8);
    const auto decoded = decode_head(changed);
    EXPECT_FALSE(verifies(signature, changed));
    if (!decoded)
      ++refused;
    else
      EXPECT_EQ(encode_head(*decoded), changed) << "one encoding only";
  }
  EXPECT_GT(refused, 0);
}

TEST(EntryHead, every_truncation_and_every_further_byte_is_refused) {
  Bytes bytes = encode_head(full_head(entry_content));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_head(ByteView(bytes).first(size))) << size;
  bytes.push_back(std::byte{0});
  EXPECT_THAT(decode_head(bytes).error().message(), HasSubstr("end: 1 bytes are left over"));
}

TEST(TravellingEntry, comes_back_from_its_bytes) {
  const auto head = full_head(entry_content);
  const auto key = SigningKey::generate();
  for (const auto& signature : {std::optional<Signature>(), {key.sign(encode_head(head))}}) {
    const auto entry = decode_entry(encode_entry(head, signature, entry_content));
    ASSERT_TRUE(entry) << entry.error().message();
    EXPECT_EQ(entry->head, head);
    EXPECT_EQ(entry->signature, signature);
    EXPECT_EQ(entry->head_bytes, encode_head(head));
    EXPECT_EQ(entry->content, entry_content);
    EXPECT_EQ(Trust{}.refusal(entry->signature, entry->head_bytes), "");
  }
}

TEST(TravellingEntry, every_changed_byte_is_refused) {
  const auto head = full_head(entry_content);
  const Bytes bytes =
      encode_entry(head, SigningKey::generate().sign(encode_head(head)), entry_content);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int mask : {1, 0x80, 0xff})
      EXPECT_FALSE(decode_entry(with_flip(bytes, at, mask))) << at;
}

TEST(TravellingEntry, every_truncation_and_every_further_byte_is_refused) {
  Bytes bytes = encode_entry(full_head(entry_content), {}, entry_content);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_entry(ByteView(bytes).first(size))) << size;
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(decode_entry(bytes));
}

TEST(TravellingEntry, says_where_and_what) {
  const auto head = full_head(entry_content);
  const Bytes bytes = encode_entry(head, {}, entry_content);
  const auto error = [](const Bytes& changed) { return decode_entry(changed).error().message(); };
  EXPECT_EQ(error({}), "entry, byte 0, magic: not an entry of a Kiln store");
  EXPECT_EQ(error(with_flip(bytes, 0)), "entry, byte 0, magic: not an entry of a Kiln store");
  EXPECT_EQ(error(with_flip(bytes, bytes.size() - 1)),
            "entry, byte " + std::to_string(bytes.size() - entry_content.size()) +
                ", content: its digest is not the one in the head");
  EXPECT_THAT(error(with_flip(bytes, 12 + 20, 4)),
              HasSubstr("entry, byte 12, head: entry head, byte 20, kind: 5 found"));
}

TEST(TravellingEntry, a_stated_size_takes_no_memory) {
  auto head = full_head(entry_content);
  head.size = std::uint64_t{1} << 62;
  EXPECT_THAT(decode_entry(encode_entry(head, {}, entry_content)).error().message(),
              HasSubstr("needs 4611686018427387904 bytes, only 500 are left"));
}

rc::Gen<std::string> any_text(std::size_t longest) {
  return rc::gen::map(rc::gen::arbitrary<std::string>(), [longest](std::string text) {
    if (text.size() > longest) text.resize(longest);
    return text;
  });
}

RC_GTEST_PROP(EntryFormProperty, what_is_stored_travels_and_comes_back, ()) {
  Metadata metadata{*rc::gen::arbitrary<std::uint32_t>(), *any_text(4096), *any_text(4096),
                    *rc::gen::arbitrary<double>()};
  // Slashes and dots, so that there are paths to cut.
  const auto path_text =
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("/ab.,=-IL \n:\"\xc3\xa4")));
  metadata.options = *path_text;
  metadata.build_log = *path_text;
  if (*rc::gen::arbitrary<bool>()) metadata.source = blake2b(as_bytes(metadata.options));
  const auto raw = *rc::gen::arbitrary<std::string>();
  const auto kind = static_cast<Kind>(*rc::gen::inRange(1, 4));
  const auto head =
      head_of(kind, as_bytes(*rc::gen::arbitrary<std::string>()), as_bytes(raw), metadata);
  const Bytes bytes = encode_entry(head, {}, as_bytes(raw));
  const auto entry = decode_entry(bytes);
  RC_ASSERT(entry.has_value());
  RC_ASSERT(entry->head == head);
  RC_ASSERT(kept_metadata(entry->head.metadata) == entry->head.metadata);
  RC_ASSERT(encode_entry(entry->head, entry->signature, entry->content) == bytes);
}

RC_GTEST_PROP(EntryFormProperty, any_bytes_are_refused_or_the_only_encoding,
              (const std::vector<std::uint8_t>& raw)) {
  Bytes bytes = encode_head(full_head(entry_content));
  const std::size_t at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  for (std::size_t i = 0; i < raw.size() && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<std::byte>(raw[i]);
  const auto decoded = decode_head(bytes);
  if (decoded) RC_ASSERT(encode_head(*decoded) == bytes);
}

}  // namespace
}  // namespace kiln
