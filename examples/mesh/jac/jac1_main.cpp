// jac1 [SIDE]: OP2's jac1 as a program of its own, on a grid of (SIDE - 1)² nodes.
#include "jac1.hpp"
#include "main.hpp"

int main(int count, char** words) {
  return jac::main_of("jac1", count, words,
                      [](auto& mesh, const auto& problem) { return jac::jac1(mesh, problem); });
}
