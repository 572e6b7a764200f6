// kiln-mesh: the bodies of `kiln mesh …`. Started by kiln with the words that it got.
#include "cli/app.hpp"

int main(int count, char** words) { return kiln::cli::run(count, words); }
