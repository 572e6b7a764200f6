#pragma once

/// Kernel specification files: reading and checking them (file.hpp), running them (run.hpp).
#include "kiln/spec/file.hpp"
#include "kiln/spec/run.hpp"
