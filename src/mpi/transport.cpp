#include "mpi/transport.hpp"

#include <algorithm>
#include <array>

#include "base/data/text.hpp"
#include "mpi/bytes_type.hpp"

namespace kiln::mpi {
namespace {

/// A rank may begin the next delivery while another one has not seen the end of this: never two
/// further on.
constexpr int first_delivery_tag = 2, delivery_tags = 1024;
constexpr int gather_tag = 1;  // 0 is an Exchange's

}  // namespace

MpiTransport::MpiTransport(const Communicator& comm, const TransportOptions& options)
    : communicator_(comm),
      watch_(comm, stall_limit(options.stall)),
      comm_(watch_.duplicate("making a transport")),
      options_(options) {}

Exchange& MpiTransport::exchange_for(std::span<const Message> receives,
                                     std::span<const Message> sends, std::string_view what) {
  for (const auto& exchange : exchanges_)
    if (exchange->is_for(receives, sends)) return *exchange;
  if (exchanges_.size() >= std::max<std::size_t>(options_.kept, 1))
    exchanges_.erase(std::min_element(
        exchanges_.begin(), exchanges_.end(),
        [](const auto& one, const auto& other) { return one->last_use < other->last_use; }));
  return *exchanges_.emplace_back(
      std::make_unique<Exchange>(comm_.get(), receives, sends, options_.largest_count, what));
}

void MpiTransport::start(std::span<const Message> receives, std::span<const Message> sends,
                         std::string_view what) {
  if (running_ != nullptr)
    throw Error(
        Errc::internal,
        fmt::format("{}: an exchange is under way, expected finish() before", one_line(what)));
  Exchange& exchange = exchange_for(receives, sends, what);
  exchange.last_use = ++uses_;
  exchange.start(what);
  running_ = &exchange;
}

void MpiTransport::finish(std::string_view what) {
  if (running_ == nullptr) return;
  Exchange& exchange = *running_;
  watch_.wait(
      what, [&] { return exchange.is_done(what); }, [&] { return exchange.missing(); });
  running_ = nullptr;
}

/// In log2(ranks) steps, each of which doubles what a rank has (Bruck et al., Efficient algorithms
/// for all-to-all communications in multiport message-passing systems, 1997): of MPI's collective
/// operations those that can be watched take ten times as long for a few bytes.
void MpiTransport::gather(std::span<const std::byte> mine, std::span<std::byte> all,
                          std::string_view what) {
  const auto ranks = static_cast<std::size_t>(size()), own = static_cast<std::size_t>(rank());
  if (all.size() != mine.size() * ranks)
    throw Error(Errc::internal,
                fmt::format("{}: room for {} bytes, expected {} of each of {} ranks",
                            one_line(what), all.size(), mine.size(), ranks));
  // Blocks of this rank and of those above it, in their order.
  gathered_.resize(all.size());
  std::copy(mine.begin(), mine.end(), gathered_.begin());
  for (std::size_t have = 1; have < ranks;) {
    const std::size_t more = std::min(have, ranks - have);
    const auto from = static_cast<int>((own + have) % ranks);
    const auto to = static_cast<int>((own + ranks - have) % ranks);
    swap({from, std::span(gathered_).subspan(have * mine.size(), more * mine.size())},
         {to, std::span(gathered_).first(more * mine.size())}, what);
    have += more;
  }
  const std::size_t above = (ranks - own) * mine.size();
  std::copy(gathered_.begin(), gathered_.begin() + static_cast<std::ptrdiff_t>(above),
            all.begin() + static_cast<std::ptrdiff_t>(own * mine.size()));
  std::copy(gathered_.begin() + static_cast<std::ptrdiff_t>(above), gathered_.end(), all.begin());
}

void MpiTransport::swap(const Message& receive, const Message& send, std::string_view what) {
  const BytesType received(receive.bytes.size(), options_.largest_count);
  const BytesType sent(send.bytes.size(), options_.largest_count);
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::array<MPI_Status, 2> statuses{};
  check(MPI_Irecv(receive.bytes.data(), received.count(), received.type(), receive.rank, gather_tag,
                  comm_.get(), requests.data()),
        what);
  check(MPI_Isend(send.bytes.data(), sent.count(), sent.type(), send.rank, gather_tag, comm_.get(),
                  &requests[1]),
        what);
  watch_.wait(
      what,
      [&] {
        int done = 0;
        check(MPI_Testall(2, requests.data(), &done, statuses.data()), what);
        return done != 0;
      },
      [&] { return std::vector<int>{receive.rank}; });
  if (const std::size_t bytes = bytes_of(statuses[0]); bytes != receive.bytes.size())
    throw Error(Errc::internal,
                fmt::format("{}: rank {} gave {} bytes, expected {}", one_line(what), receive.rank,
                            bytes, receive.bytes.size()));
}

std::vector<mesh::Transport::Packet> MpiTransport::deliver(std::vector<Packet> packets,
                                                           std::string_view what) {
  std::vector<Packet> received;
  std::vector<MPI_Request> sends;
  std::vector<int> targets;
  const int tag = first_delivery_tag + deliveries_++ % delivery_tags;
  for (Packet& packet : packets) {
    if (packet.rank == rank()) {
      received.push_back(std::move(packet));
      continue;
    }
    const BytesType type(packet.bytes.size(), options_.largest_count);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Issend(packet.bytes.data(), type.count(), type.type(), packet.rank, tag, comm_.get(),
                     &request),
          what);
    sends.push_back(request);
    targets.push_back(packet.rank);
  }

  const auto receive_one = [&] {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check(MPI_Improbe(MPI_ANY_SOURCE, tag, comm_.get(), &found, &message, &status), what);
    if (found == 0) return false;
    Packet& packet =
        received.emplace_back(Packet{status.MPI_SOURCE, std::vector<std::byte>(bytes_of(status))});
    const BytesType type(packet.bytes.size(), options_.largest_count);
    check(MPI_Mrecv(packet.bytes.data(), type.count(), type.type(), &message, &status), what);
    return true;
  };
  // Sends end when they are received. Who knows that his own have been goes to the barrier; when
  // all are there, all have been.
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool in_barrier = false;
  const auto is_done = [&] {
    while (receive_one()) {
    }
    int done = 0;
    if (in_barrier) {
      check(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), what);
      return done != 0;
    }
    check(MPI_Testall(static_cast<int>(sends.size()), sends.data(), &done, MPI_STATUSES_IGNORE),
          what);
    if (done != 0) {
      check(MPI_Ibarrier(comm_.get(), &barrier), what);
      in_barrier = true;
    }
    return false;
  };
  watch_.wait(what, is_done, [&] {
    std::vector<int> missing;
    for (std::size_t at = 0; at < sends.size() && !in_barrier; ++at) {
      int done = 0;
      MPI_Request_get_status(sends[at], &done, MPI_STATUS_IGNORE);
      if (done == 0) missing.push_back(targets[at]);
    }
    return missing;
  });
  std::sort(received.begin(), received.end(),
            [](const Packet& one, const Packet& other) { return one.rank < other.rank; });
  return received;
}

MpiTransport& mpi_transport(mesh::Transport& transport, std::string_view who) {
  auto* found = dynamic_cast<MpiTransport*>(&transport);
  if (found == nullptr)
    throw Error(
        Errc::bad_input,
        fmt::format("{}: found another Transport, expected one of kiln::mpi::transport()", who));
  return *found;
}

std::shared_ptr<mesh::Transport> transport(const Communicator& comm,
                                           const TransportOptions& options) {
  return std::make_shared<MpiTransport>(comm, options);
}

const Communicator& communicator_of(const mesh::Transport& transport) {
  return mpi_transport(const_cast<mesh::Transport&>(transport), "kiln::mpi::communicator_of")
      .communicator();
}

}  // namespace kiln::mpi
