#include <cstdio>
#include <kiln/error.hpp>
#include <kiln/version.hpp>

// Throws the library's own error and prints its version: the headers, the library and the type
// information of its exceptions are the installed ones.
int main() {
  try {
    throw kiln::Error(kiln::Errc::bad_input, "refused on purpose");
  } catch (const kiln::Error& error) {
    const auto version = kiln::version();
    std::printf("%s %.*s\n", kiln::name_of(error.code()), static_cast<int>(version.size()),
                version.data());
  }
  return 0;
}
