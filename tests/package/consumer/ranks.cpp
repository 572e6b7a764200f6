#include <cstdio>

#include "kiln/mpi.hpp"

int main(int count, char** words) {
  const kiln::mpi::Environment mpi(count, words);
  mpi.run([&] { std::printf("rank %d of %d\n", mpi.rank(), mpi.size()); });
}
