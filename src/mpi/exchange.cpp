#include "mpi/exchange.hpp"

#include <algorithm>

#include "base/data/text.hpp"
#include "mpi/bytes_type.hpp"

namespace kiln::mpi {

constexpr int exchange_tag = 0;

Exchange::Exchange(MPI_Comm comm, std::span<const Message> receives, std::span<const Message> sends,
                   std::size_t largest_count, std::string_view what) {
  // Both sides know that a message is empty.
  for (const Message& message : receives)
    if (!message.bytes.empty())
      lines_.push_back({message.rank, message.bytes.data(), message.bytes.size()});
  receives_ = lines_.size();
  for (const Message& message : sends)
    if (!message.bytes.empty())
      lines_.push_back({message.rank, message.bytes.data(), message.bytes.size()});
  requests_.reserve(lines_.size());
  statuses_.resize(lines_.size());
  for (std::size_t at = 0; at < lines_.size(); ++at) {
    const Line& line = lines_[at];
    const BytesType type(line.size, largest_count);
    auto* bytes = const_cast<std::byte*>(line.bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    check(at < receives_ ? MPI_Recv_init(bytes, type.count(), type.type(), line.rank, exchange_tag,
                                         comm, &request)
                         : MPI_Send_init(bytes, type.count(), type.type(), line.rank, exchange_tag,
                                         comm, &request),
          what);
    requests_.push_back(request);
  }
}

Exchange::~Exchange() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  for (MPI_Request& request : requests_) MPI_Request_free(&request);
}

bool Exchange::same(std::span<const Line> lines, std::span<const Message> messages) {
  std::size_t at = 0;
  for (const Message& message : messages) {
    if (message.bytes.empty()) continue;
    if (at == lines.size() || lines[at].rank != message.rank ||
        lines[at].bytes != message.bytes.data() || lines[at].size != message.bytes.size())
      return false;
    ++at;
  }
  return at == lines.size();
}

bool Exchange::is_for(std::span<const Message> receives, std::span<const Message> sends) const {
  const std::span<const Line> lines(lines_);
  return same(lines.first(receives_), receives) && same(lines.subspan(receives_), sends);
}

void Exchange::start(std::string_view what) {
  if (!requests_.empty())
    check(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()), what);
}

bool Exchange::is_done(std::string_view what) {
  int done = 0;
  const int code =
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, statuses_.data());
  if (code == MPI_ERR_IN_STATUS) {
    for (std::size_t at = 0; at < lines_.size(); ++at) {
      const int own = statuses_[at].MPI_ERROR;
      if (own == MPI_SUCCESS || own == MPI_ERR_PENDING) continue;
      int kind = MPI_SUCCESS;
      MPI_Error_class(own, &kind);
      if (kind == MPI_ERR_TRUNCATE)
        throw Error(Errc::internal,
                    fmt::format("{}: rank {} sent a larger message than the {} bytes expected",
                                one_line(what), lines_[at].rank, lines_[at].size));
      check(own, what);
    }
  }
  check(code, what);
  if (done == 0) return false;
  for (std::size_t at = 0; at < receives_; ++at)
    if (const std::size_t size = bytes_of(statuses_[at]); size != lines_[at].size)
      throw Error(Errc::internal,
                  fmt::format("{}: rank {} sent {} bytes, expected {}", one_line(what),
                              lines_[at].rank, size, lines_[at].size));
  return true;
}

std::vector<int> Exchange::missing() const {
  std::vector<int> ranks;
  for (std::size_t at = 0; at < lines_.size(); ++at) {
    int done = 0;
    MPI_Request_get_status(requests_[at], &done, MPI_STATUS_IGNORE);
    if (done == 0) ranks.push_back(lines_[at].rank);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace kiln::mpi
