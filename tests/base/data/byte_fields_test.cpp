#include "base/data/byte_fields.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kiln {
namespace {

enum class Colour : std::uint8_t { red = 1, green = 2 };

struct Painting {
  std::string name;
  Colour colour = Colour::red;
  bool is_framed = false;
  double weight = 0;
  std::vector<std::uint32_t> years;
  std::map<std::string, std::int64_t> prices;
  Bytes scan;
  bool operator==(const Painting&) const = default;
};

constexpr auto painting_fields = [](auto& to, auto& painting) {
  to.field("name", painting.name);
  to.field("colour", painting.colour);
  to.expect(painting.colour == Colour::red || painting.colour == Colour::green, "colour",
            "it is neither red nor green");
  to.field("framed", painting.is_framed);
  to.field("weight", painting.weight);
  to.list("years", painting.years, 4, [&](auto& year) { to.field("year", year); });
  to.map("prices", painting.prices, 12);
  to.content("scan", painting.scan);
};

Expected<Painting> read(ByteView bytes) {
  return read_by<Painting>(painting_fields, bytes, "painting");
}

const Painting example{"Sea", Colour::green, true, 2.5, {1999, 2001}, {{"EUR", -7}}, Bytes(3)};

TEST(ByteFields, are_read_as_they_were_written) {
  EXPECT_EQ(read(bytes_by(painting_fields, example)).value(), example);
  EXPECT_EQ(read(bytes_by(painting_fields, Painting{})).value(), Painting{});
}

TEST(ByteFields, of_bytes_that_were_cut_or_are_too_many_are_refused) {
  Bytes bytes = bytes_by(painting_fields, example);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read(ByteView(bytes).first(size))) << size;
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(read(bytes));
}

TEST(ByteFields, what_a_value_cannot_be_is_refused_with_its_name) {
  Bytes bytes = bytes_by(painting_fields, example);
  const std::size_t colour = 4 + example.name.size(), framed = colour + 1;
  bytes[framed] = std::byte{2};
  EXPECT_EQ(read(bytes).error().message(), "painting, byte 9, framed: is neither 0 nor 1");
  bytes[colour] = std::byte{3};
  EXPECT_EQ(read(bytes).error().message(), "painting, byte 8, colour: it is neither red nor green");
}

}  // namespace
}  // namespace kiln
