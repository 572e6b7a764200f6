#pragma once

// The public headers as the library sees them: what they declare is visible, everything else
// hidden.
#pragma GCC visibility push(default)
#include <clblast.h>
#include <clblast_c.h>
#pragma GCC visibility pop
