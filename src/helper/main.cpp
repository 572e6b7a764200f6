// kiln-compile: compiles one job in its private working folder (see kernel/apart/worker.hpp).
// Started by the library, never by people. With "--serve PATH" it is the compile server on the
// listening socket that it inherits (see kernel/apart/server.hpp).
#include <cstdio>
#include <string_view>

#include "base/os/environment.hpp"
#include "kernel/apart/server.hpp"
#include "kernel/apart/worker.hpp"

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  kiln::set_default_path();
  if (argc == 3 && what == "--serve")
    return kiln::apart::serve(kiln::inherited_descriptor, argv[2]);
  if (argc == 2 && what == kiln::apart::job_option) return kiln::apart::run_job();
  std::fputs("kiln-compile: started by Kiln's library, with --job or --serve PATH\n", stderr);
  return 2;
}
