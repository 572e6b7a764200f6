#include "mpi/agree.hpp"

#include <optional>

namespace kiln::mpi {

std::vector<std::int64_t> gather(Watch& watch, std::string_view what, std::int64_t mine) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(watch.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallgather(&mine, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, watch.handle(), &request),
        what);
  watch.wait(what, request);
  return all;
}

namespace {

void broadcast(Watch& watch, std::string_view what, void* data, int count, MPI_Datatype type,
               int root) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibcast(data, count, type, root, watch.handle(), &request), what);
  watch.wait(what, request, {root});
}

}  // namespace

void agree(Watch& watch, std::string_view what, const std::function<void()>& work) {
  std::optional<Error> own;
  try {
    work();
  } catch (const Error& error) {
    own = error;
  } catch (const std::exception& error) {
    own = Error(Errc::internal, error.what());
  }
  constexpr std::int64_t none = -1;
  const auto codes = gather(watch, what, own ? static_cast<std::int64_t>(own->code()) : none);
  for (std::size_t rank = 0; rank < codes.size(); ++rank) {
    if (codes[rank] == none) continue;
    std::string message = own ? own->message() : std::string();
    auto length = static_cast<int>(message.size());
    const auto root = static_cast<int>(rank);
    broadcast(watch, what, &length, 1, MPI_INT, root);
    message.resize(static_cast<std::size_t>(length));
    broadcast(watch, what, message.data(), length, MPI_CHAR, root);
    throw Error(static_cast<Errc>(codes[rank]), message);
  }
}

}  // namespace kiln::mpi
