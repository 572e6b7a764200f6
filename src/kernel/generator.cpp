#include "kernel/generator.hpp"

namespace kiln {

double Generator::reach() const { return 64; }

}  // namespace kiln
