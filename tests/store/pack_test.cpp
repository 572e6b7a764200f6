// Packs as bytes: one pack for one set of entries, and safe on any bytes.

#include "store/pack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>

#include "store/travel_support.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Entries with contents that live as long.
struct Parcel {
  std::deque<Bytes> contents;
  std::vector<PackEntry> entries;

  void add(int number, Bytes content, Kind kind = Kind::artifact) {
    contents.push_back(std::move(content));
    Metadata metadata{1, "entry " + std::to_string(number), "a device", 0.5};
    entries.push_back(
        {head_of(kind, Sample(number).canonical, contents.back(), metadata), {}, contents.back()});
  }
  Bytes pack() const { return value_or_throw(write_pack(entries)); }
};

/// Three entries, of which two have the same content, and one that is signed.
Parcel parcel() {
  Parcel made;
  made.add(1, content_of(1, 1, 300));
  made.add(2, content_of(1, 1, 300));
  made.add(1, content_of(3, 1, 0), Kind::record);
  auto& last = made.entries.back();
  last.signature = SigningKey::generate().sign(encode_head(last.head));
  return made;
}

/// The pack with other bytes in it, and the digest that then belongs at its end.
Bytes sealed(Bytes pack) {
  const std::size_t covered = pack.size() - sizeof(Digest);
  const Digest digest = blake2b(ByteView(pack).first(covered));
  std::copy(digest.bytes.begin(), digest.bytes.end(), pack.begin() + static_cast<long>(covered));
  return pack;
}

/// A pack of these unsigned heads and contents as they come, right or not.
Bytes handmade(const std::vector<EntryHead>& heads, const std::vector<Bytes>& contents) {
  Bytes pack = value_or_throw(write_pack({}));
  pack.resize(12);
  append_le(pack, static_cast<std::uint32_t>(heads.size()));
  for (const auto& head : heads) {
    const Bytes bytes = encode_head(head);
    append_le(pack, static_cast<std::uint32_t>(bytes.size()));
    append(pack, bytes);
    append_le(pack, std::uint8_t{0});
  }
  append_le(pack, static_cast<std::uint32_t>(contents.size()));
  for (const auto& content : contents) {
    append_le(pack, static_cast<std::uint64_t>(content.size()));
    append(pack, content);
  }
  pack.resize(pack.size() + sizeof(Digest));
  return sealed(pack);
}

std::string error_of(const Bytes& pack) {
  const auto read = read_pack(pack);
  return read ? "" : read.error().message();
}

TEST(Pack, holds_its_entries_by_kind_and_key) {
  const Parcel made = parcel();
  const Bytes pack = made.pack();
  const auto read = read_pack(pack);
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ((*read)[2].head.kind, Kind::record);
  EXPECT_LT((*read)[0].head.key, (*read)[1].head.key);
  for (const auto& entry : made.entries) {
    const auto found = std::find_if(read->begin(), read->end(),
                                    [&](const auto& other) { return other.head == entry.head; });
    ASSERT_NE(found, read->end());
    EXPECT_EQ(found->signature, entry.signature);
    EXPECT_EQ(as_text(found->content), as_text(entry.content));
  }
}

TEST(Pack, of_the_same_entries_is_the_same_in_any_order) {
  Parcel made = parcel();
  const Bytes pack = made.pack();
  std::reverse(made.entries.begin(), made.entries.end());
  EXPECT_EQ(made.pack(), pack);
  EXPECT_EQ(value_or_throw(write_pack(value_or_throw(read_pack(pack)))), pack);
}

TEST(Pack, holds_equal_contents_once) {
  Parcel once, twice;
  once.add(1, content_of(1, 1, 100'000));
  twice.add(1, content_of(1, 1, 100'000));
  twice.add(2, content_of(1, 1, 100'000));
  EXPECT_LT(twice.pack().size(), once.pack().size() + 1000);
  const Bytes pack = twice.pack();
  const auto read = value_or_throw(read_pack(pack));
  EXPECT_EQ(read[0].content.data(), read[1].content.data());
}

TEST(Pack, may_be_empty) {
  const Bytes pack = value_or_throw(write_pack({}));
  EXPECT_EQ(pack.size(), 8u + 4 + 4 + 4 + 32);
  EXPECT_TRUE(value_or_throw(read_pack(pack)).empty());
}

TEST(Pack, refuses_two_entries_of_one_place_as_a_defect) {
  Parcel made;
  made.add(1, content_of(1, 1, 10));
  made.add(1, content_of(1, 2, 10));
  EXPECT_THROW(static_cast<void>(write_pack(made.entries)), Error);
}

TEST(Pack, every_changed_byte_and_every_truncation_is_refused) {
  Bytes pack = parcel().pack();
  for (std::size_t at = 0; at < pack.size(); ++at)
    for (const int mask : {1, 0x80, 0xff}) EXPECT_FALSE(read_pack(with_flip(pack, at, mask))) << at;
  for (std::size_t size = 0; size < pack.size(); ++size)
    EXPECT_FALSE(read_pack(ByteView(pack).first(size))) << size;
  pack.push_back(std::byte{0});
  EXPECT_FALSE(read_pack(pack));
}

TEST(Pack, every_changed_byte_under_a_right_digest_is_refused_or_another_pack) {
  const Bytes pack = parcel().pack();
  int refused = 0;
  for (std::size_t bit = 0; bit < (pack.size() - 32) * 8; ++bit) {
    const Bytes changed = sealed(with_flip(pack, bit / 8, 1 << bit % 8));
    const auto read = read_pack(changed);
    refused += !read;
    if (read) {
      EXPECT_EQ(value_or_throw(write_pack(*read)), changed) << "byte " << bit / 8;
    }
  }
  // What may change and still be a pack: a head's number or label, a signature.
  EXPECT_GT(refused, static_cast<int>(pack.size()) * 2);
}

TEST(Pack, says_where_and_what) {
  const Bytes pack = parcel().pack();
  EXPECT_EQ(error_of({}), "pack, byte 0, magic: not a Kiln pack");
  EXPECT_EQ(error_of(with_flip(pack, 0)), "pack, byte 0, magic: not a Kiln pack");
  EXPECT_EQ(error_of(with_flip(pack, 200)),
            "pack, byte " + std::to_string(pack.size() - 32) +
                ", digest: it is not that of the bytes before it: the pack is damaged or cut "
                "short");
  const auto newer = read_pack(with_flip(pack, 8, 3));
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code(), Errc::unsupported);
  EXPECT_EQ(newer.error().message(), "pack, byte 8, version: 2 found, 1 expected");
}

TEST(Pack, counts_and_lengths_take_no_memory) {
  Bytes pack = parcel().pack();
  for (const std::size_t at : {12u, 16u}) {  // entries; the first head's length
    Bytes changed = pack;
    for (std::size_t i = 0; i < 4; ++i) changed[at + i] = std::byte{0xff};
    EXPECT_THAT(error_of(sealed(changed)),
                ::testing::ContainsRegex("bytes are left|bytes, only [0-9]+ are left"))
        << at;
  }
}

TEST(Pack, a_content_that_no_entry_uses_or_that_is_missing_is_refused) {
  Parcel made = parcel();
  const Bytes stray = content_of(9, 1, 50);
  // An entry whose content is another's: what is needed is missing then.
  auto entries = made.entries;
  entries[0].content = stray;
  entries[1].content = stray;
  EXPECT_THAT(error_of(value_or_throw(write_pack(entries))), HasSubstr("is not among them"));
  entries = made.entries;
  entries[0].head.size = 299;
  EXPECT_THAT(error_of(value_or_throw(write_pack(entries))), HasSubstr("is not among them"));
  // One content more than the entries have.
  EXPECT_THAT(error_of(handmade({}, {{}})), HasSubstr("contents: 1 found, at most 0 expected"));
  // One that is not theirs along with the one that is.
  const Bytes shared = content_of(1, 1, 300);
  std::vector<Bytes> contents{shared, stray};
  if (blake2b(stray) < blake2b(shared)) std::swap(contents[0], contents[1]);
  auto two = std::vector{made.entries[0].head, made.entries[1].head};
  if (two[1].key < two[0].key) std::swap(two[0], two[1]);
  EXPECT_EQ(error_of(handmade(two, {shared})), "");
  EXPECT_THAT(error_of(handmade(two, contents)), HasSubstr("content: no entry uses it"));
}

TEST(Pack, entries_and_contents_out_of_order_are_refused) {
  const Parcel made = parcel();
  auto heads = std::vector{made.entries[0].head, made.entries[1].head};
  if (heads[0].key < heads[1].key) std::swap(heads[0], heads[1]);
  const Bytes content = content_of(1, 1, 300);
  EXPECT_THAT(error_of(handmade(heads, {content})),
              HasSubstr("it does not follow the one before it by kind and key"));
  EXPECT_THAT(error_of(handmade({heads[0], heads[0]}, {content})),
              HasSubstr("it does not follow the one before it by kind and key"));
  std::swap(heads[0], heads[1]);
  EXPECT_THAT(error_of(handmade(heads, {content, content})),
              HasSubstr("it does not follow the one before it by digest"));
}

RC_GTEST_PROP(PackProperty, any_entries_come_back, ()) {
  Parcel made;
  const auto count = *rc::gen::inRange(0, 12);
  for (int number = 0; number < count; ++number)
    made.add(number, content_of(*rc::gen::inRange(0, 4), 1, *rc::gen::inRange<std::size_t>(0, 99)),
             static_cast<Kind>(*rc::gen::inRange(1, 4)));
  const Bytes pack = made.pack();
  const auto read = read_pack(pack);
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->size() == made.entries.size());
  RC_ASSERT(value_or_throw(write_pack(*read)) == pack);
}

}  // namespace
}  // namespace kiln
