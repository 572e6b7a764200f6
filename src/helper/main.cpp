// kiln-compile: compiles one job in its private working folder (see kernel/apart/job.hpp). Started
// by the library, never by people. With "--serve PATH" it is the compile server on the listening
// socket that it inherits (see kernel/apart/server.hpp).
#include <string_view>

#include "base/default_path.hpp"
#include "kernel/apart/job.hpp"
#include "kernel/apart/server.hpp"

int main(int argc, char** argv) {
  kiln::set_default_path();
  if (argc == 3 && std::string_view(argv[1]) == "--serve")
    return kiln::apart::serve(kiln::inherited_descriptor, argv[2]);
  return kiln::apart::run_job();
}
