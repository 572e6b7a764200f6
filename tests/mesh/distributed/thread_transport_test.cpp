// The Transport that tests use keeps the contract, and holds its users to it.
#include "mesh/distributed/thread_transport.hpp"

#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

std::vector<std::byte> bytes_of_text(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(ThreadTransport, brings_a_message_each_way) {
  in_parts(3, [](const auto& transport) {
    const int me = transport->rank(), next = (me + 1) % 3, last = (me + 2) % 3;
    std::vector<std::byte> out{std::byte(me)}, in(1), to_last{std::byte(10 + me)}, from_next(1);
    const std::array receives{Transport::Message{last, in}, Transport::Message{next, from_next}};
    const std::array sends{Transport::Message{next, out}, Transport::Message{last, to_last}};
    transport->start(receives, sends, "a ring");
    EXPECT_EQ(in[0], std::byte{0xCC});
    transport->finish("a ring");
    EXPECT_EQ(in[0], std::byte(last));
    EXPECT_EQ(from_next[0], std::byte(10 + next));
    EXPECT_EQ(transport->sent.size(), 2u);
  });
}

TEST(ThreadTransport, gathers_in_the_order_of_ranks) {
  in_parts(4, [](const auto& transport) {
    const std::array mine{std::byte(transport->rank()), std::byte{7}};
    std::array<std::byte, 8> all{};
    transport->gather(mine, all, "ranks");
    for (std::size_t rank = 0; rank < 4; ++rank) EXPECT_EQ(all[2 * rank], std::byte(rank));
  });
}

TEST(ThreadTransport, delivers_packets_to_who_does_not_expect_them) {
  in_parts(3, [](const auto& transport) {
    std::vector<Transport::Packet> packets;
    if (transport->rank() != 1) packets.push_back({1, bytes_of_text("x")});
    if (transport->rank() == 2) packets.push_back({2, bytes_of_text("to oneself")});
    const auto arrived = transport->deliver(std::move(packets), "news");
    ASSERT_EQ(arrived.size(), transport->rank() == 1 ? 2u : transport->rank() == 2 ? 1u : 0u);
    if (transport->rank() == 1) {
      EXPECT_EQ(arrived[1].rank, 2);
    }
  });
}

TEST(ThreadTransport, a_part_that_fails_ends_the_others) {
  EXPECT_EQ(refusal([] {
              in_parts(3, [](const auto& transport) {
                if (transport->rank() == 1) throw Error(Errc::bad_input, "no more");
                transport->deliver({}, "what never comes");
              });
            }),
            "no more");
}

TEST(ThreadTransport, refuses_parts_that_wait_for_different_things) {
  EXPECT_THAT(refusal(
                  [] {
                    in_parts(2, [](const auto& transport) {
                      transport->deliver({}, transport->rank() == 0 ? "this" : "that");
                    });
                  },
                  Errc::io),
              ::testing::HasSubstr("waits for"));
}

}  // namespace
}  // namespace kiln::mesh::testing
