#pragma once

#include "kiln/tune.hpp"
#include "spec/tune/spec_tunable.hpp"
#include "tune/conduct/conduct.hpp"

/// Searches for a program that may have loaded drivers and started threads, so that no fork of it
/// could measure: a helper process, kiln-tune, makes the search as `kiln tune` does. It is started
/// by exec with a request in a file, and tells over a socket, a message of JSON each, how far it
/// is, what the library logs, and in the end what came of it; the journal has the rest.
namespace kiln::spec {

/// What is to be searched, where.
struct SearchRequest {
  SpecTuning tuning;
  RecordedDevice device;
  StoreSettings store;
  tune::SearchSettings settings;
};

/// As one line of JSON, and back. Errors: bad_input.
std::string text_of(const SearchRequest& request);
Expected<SearchRequest> search_request_of(std::string_view text);

/// The helper's whole work: the search that a file asks for, told on a socket. It ends when the
/// other end does. Returns the exit code.
int serve_search(const std::filesystem::path& request, int channel);

/// How far a search is told, and whether it goes on: as tune::SearchOptions has them.
struct SearchListener {
  std::function<bool(const tune::Progress&)> progress;
  std::function<bool()> stop;
};

/// What became of it. Of the Result only what the journal does not have is set, and where that is.
struct HelpedSearch {
  tune::Result result;
  bool has_ended = false;  ///< false: stopped, and its journal, if there is one by then, has no end
};

/// Has a helper make a search, and waits for its end. A helper that does not end at once where it
/// is to stop is killed, with its processes. Thread-safe. Throws Error: what the
/// search threw; unsupported where there is no helper (KILN_TUNE_HELPER, else as find_helper());
/// device where the helper died.
HelpedSearch search_in_helper(const SearchRequest& request, const SearchListener& listener);

}  // namespace kiln::spec
