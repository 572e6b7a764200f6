#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/data/bytes.hpp"
#include "mutations/mutator.hpp"

namespace kiln::mutations {

/// A command under trial: many changed files are given to it, and each time it has to end by itself
/// with one of its three exit codes.
struct Trials {
  std::string name;  ///< of the kept inputs
  std::vector<Seed> seeds;
  Form form = Form::binary;
  /// The words of the command line for the input of a number, which lies in `file`.
  std::function<std::vector<std::string>(std::uint64_t number, const std::string& file)> words;
  /// Puts an input where the command looks for it, in place of writing it to a file alone.
  std::function<void(const Bytes& input, std::uint64_t number)> place = {};
  /// Is done in each process that runs the command, before its first input.
  std::function<void()> prepare = {};
  /// How many inputs one process takes. 1 where libraries may leave it damaged.
  std::uint64_t batch = 500;
  /// How many inputs are tried in a plain test run and in a long one.
  std::uint64_t few = 300, many = 100'000;
  /// What an input may take.
  std::chrono::milliseconds longest = std::chrono::minutes(1);
};

/// Tries the command in child processes of this one: kiln::cli::run is called again and again, and
/// what it writes is thrown away. KILN_LONG makes it a long run; KILN_MUTATIONS says how many
/// inputs, KILN_MUTATION_FIRST from which on, KILN_MUTATION_SEED where the random numbers start. An
/// input that ends its process, takes too long, gives another exit code than 0, 1 or 2 or an
/// exception that no command handles is a failure of the test, which names it, and is kept in the
/// folder `mutations` of the build.
void expect_endings(const Trials& trials);

/// The files of a corpus of fuzz/corpus.
std::vector<Seed> corpus(const std::string& name);
/// All regular files below a folder that are not larger than this; none where it is absent.
std::vector<Seed> files_below(const std::filesystem::path& folder, std::uintmax_t most = 1 << 16);
/// The same seeds several times: files that a command takes, among many that it refuses.
std::vector<Seed> often(const std::vector<Seed>& seeds);
/// Adds lists of seeds.
std::vector<Seed> operator+(std::vector<Seed> a, std::vector<Seed> b);

/// Runs a function in a child process, so that what it loads (drivers with their threads) is not in
/// the processes that are forked later. Fails the test where it does not end well.
void in_child(const std::function<void()>& work);

}  // namespace kiln::mutations
