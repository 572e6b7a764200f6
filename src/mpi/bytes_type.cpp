#include "mpi/bytes_type.hpp"

#include <limits>

namespace kiln::mpi {

BytesType::BytesType(std::size_t bytes, std::size_t largest) {
  constexpr std::size_t most = std::numeric_limits<int>::max();
  if (bytes <= largest && bytes <= most) {
    count_ = static_cast<int>(bytes);
    return;
  }
  if (bytes / largest > most || largest > most)
    throw Error(
        Errc::unsupported,
        fmt::format("mpi: a message of {} bytes in blocks of {}, expected at most {} blocks", bytes,
                    largest, most));
  const auto blocks = static_cast<int>(bytes / largest);
  MPI_Datatype block = MPI_DATATYPE_NULL, all = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(static_cast<int>(largest), MPI_BYTE, &block),
        "a type of a large message");
  check(MPI_Type_contiguous(blocks, block, &all), "a type of a large message");
  int lengths[] = {1, static_cast<int>(bytes % largest)};
  MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes - bytes % largest)};
  MPI_Datatype types[] = {all, MPI_BYTE};
  check(MPI_Type_create_struct(2, lengths, places, types, &type_), "a type of a large message");
  check(MPI_Type_commit(&type_), "a type of a large message");
  MPI_Type_free(&block);
  MPI_Type_free(&all);
  count_ = 1;
}

BytesType::~BytesType() {
  if (type_ != MPI_BYTE) MPI_Type_free(&type_);  // requests that use it keep it
}

std::size_t bytes_of(const MPI_Status& status) {
  MPI_Count bytes = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
}

}  // namespace kiln::mpi
