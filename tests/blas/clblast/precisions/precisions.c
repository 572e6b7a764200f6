// Loaded before CLBlast's own test programs, which ask CLBlast whether a device has a precision
// before they test a routine in it: only those named in KILN_PRECISIONS, of s, d, c and z, are
// there. The names are those of C++ functions,
//   bool clblast::PrecisionSupported<T>(const clblast::Device&)
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_named(char letter) {
  const char* named = getenv("KILN_PRECISIONS");
  return named == NULL || strchr(named, letter) != NULL;
}

#define PRECISION(letter, function, name)                                          \
  bool function(const void* device) __asm__("_ZN7clblast18PrecisionSupported" name \
                                            "RKNS_6DeviceE");                      \
  bool function(const void* device) {                                              \
    (void)device;                                                                  \
    return is_named(letter);                                                       \
  }
PRECISION('s', has_float, "IfEEb")
PRECISION('d', has_double, "IdEEb")
PRECISION('c', has_complex_float, "ISt7complexIfEEEb")
PRECISION('z', has_complex_double, "ISt7complexIdEEEb")
