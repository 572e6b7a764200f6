// kiln-tune: makes one search for a program that uses the library (see
// spec/tune/search_service.hpp). Started by the library, never by people.
#include <cstdio>

#include "base/os/environment.hpp"
#include "base/os/process.hpp"
#include "spec/tune/search_service.hpp"

int main(int argc, char** argv) {
  kiln::set_default_path();
  if (argc == 2) return kiln::spec::serve_search(argv[1], kiln::inherited_descriptor);
  std::fputs("kiln-tune: started by Kiln's library, with the file of a request\n", stderr);
  return 2;
}
