// Blocks of rows and look-ups of numbers, beyond what 32 bits hold.
#include "mesh/distributed/blocks.hpp"

#include "mesh/distributed/mail.hpp"
#include "mesh/distributed/thread_transport.hpp"

namespace kiln::mesh::testing {
namespace {

constexpr std::int64_t beyond_32_bits = std::int64_t{1} << 40;

TEST(Blocks, know_whose_a_number_is_though_some_are_empty) {
  const Blocks blocks{{0, 0, 3, 3, 3 + beyond_32_bits, 3 + beyond_32_bits}};
  EXPECT_EQ(blocks.size(), 3 + beyond_32_bits);
  EXPECT_EQ(blocks.rank_of(0), 1);
  EXPECT_EQ(blocks.rank_of(2), 1);
  EXPECT_EQ(blocks.rank_of(3), 3);
  EXPECT_EQ(blocks.rank_of(2 + beyond_32_bits), 3);
  EXPECT_EQ(blocks.count(0), 0u);
  EXPECT_EQ(blocks.count(3), static_cast<std::size_t>(beyond_32_bits));
}

TEST(NumberIndex, finds_what_a_list_has) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const std::int64_t range = seed % 3 == 0 ? 20 : seed % 3 == 1 ? 1000 : beyond_32_bits;
    std::vector<std::int64_t> list;
    for (std::size_t count = random() % 100; count > 0; --count)
      list.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range)));
    if (seed % 2 == 0 && !list.empty())
      list.push_back(5 * beyond_32_bits);  // one is far from all others
    make_rising(list);
    const NumberIndex index(list);
    for (std::size_t at = 0; at < list.size(); ++at)
      for (const std::int64_t near : {list[at] - 1, list[at], list[at] + 1}) {
        const auto place = std::ranges::lower_bound(list, near);
        const bool is_there = place != list.end() && *place == near;
        ASSERT_EQ(index.find(near), is_there ? place - list.begin() : -1);
      }
    ASSERT_EQ(index.find(-1), -1);
    ASSERT_EQ(index.find(9 * beyond_32_bits), -1);
  }
}

TEST(Blocks, are_a_directory) {
  in_parts(4, [](const auto& transport) {
    // the second block is empty, and no part asks the third one
    const Blocks blocks{{0, 2, 2, 4, beyond_32_bits}};
    std::vector<std::int32_t> mine;
    if (transport->rank() == 0) mine = {7, 8};
    if (transport->rank() == 2) mine = {5, 6};
    const std::vector<std::int64_t> asked =
        transport->rank() == 1 ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{1};
    const auto known = look_up(*transport, blocks, asked, mine);
    EXPECT_EQ(known, transport->rank() == 1 ? std::vector<std::int32_t>({7, 8})
                                            : std::vector<std::int32_t>({8}));
  });
}

TEST(Mail, is_agreed_upon) {
  in_parts(3, [](const auto& transport) {
    const auto refuse_some = [&](int from) {
      together(*transport, "a trial", [&] {
        if (transport->rank() >= from)
          throw Error(Errc::io,
                      "part " + std::to_string(transport->rank()) + std::string(500, '.'));
      });
    };
    refuse_some(3);
    try {
      refuse_some(1);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::io);
      EXPECT_EQ(error.message(), "part 1" + std::string(394, '.'));
    }
  });
}

}  // namespace
}  // namespace kiln::mesh::testing
