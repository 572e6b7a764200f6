// jac2 [SIDE]: OP2's jac2 as a program of its own, on a grid of (SIDE - 1)² nodes.
#include "jac2.hpp"
#include "main.hpp"

int main(int count, char** words) {
  return jac::main_of("jac2", count, words,
                      [](auto& mesh, const auto& problem) { return jac::jac2(mesh, problem); });
}
