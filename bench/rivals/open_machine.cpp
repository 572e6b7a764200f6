// Loads the drivers and opens the first CPU device: the floor of every program that uses one.
#include "vector_add.hpp"

int main() { rival::close_machine(rival::open_machine()); }
