// kiln-compile: compiles one job in its private working folder (see kernel/apart/job.hpp). Started
// by the library, never by people.
#include "kernel/apart/job.hpp"

int main() { return kiln::apart::run_job(); }
