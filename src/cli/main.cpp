#include "cli/app.hpp"

int main(int count, char** words) { return kiln::cli::run(count, words); }
