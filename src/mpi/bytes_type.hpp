#pragma once

#include <cstddef>

#include "mpi/communicator.hpp"

namespace kiln::mpi {

/// So many bytes as MPI takes them, whose counts are int: one element of a type of blocks where
/// they are more than `largest`.
class BytesType {
 public:
  BytesType(std::size_t bytes, std::size_t largest);
  BytesType(const BytesType&) = delete;
  BytesType& operator=(const BytesType&) = delete;
  ~BytesType();
  MPI_Datatype type() const { return type_; }
  int count() const { return count_; }

 private:
  MPI_Datatype type_ = MPI_BYTE;
  int count_ = 0;
};

/// The bytes of a message that has come.
std::size_t bytes_of(const MPI_Status& status);

}  // namespace kiln::mpi
