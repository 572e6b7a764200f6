// Between this machine's store and the fleet's shared one: `kiln store push` and `kiln store pull`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/data/text.hpp"
#include "cli/command/commands.hpp"
#include "cli/command/context.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/command/session.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/store/entries.hpp"

namespace kiln::cli {
namespace {

/// The store with its shared layer. Throws Error (bad input) where there is none.
Store store_with_shared(const Context& context) {
  const StoreSettings settings = store_settings_of(context);
  if (settings.shared.empty())
    throw bad_input("{}: missing shared store: --shared-store URL or KILN_SHARED_STORE names it",
                    context.command().name);
  return Store::open(settings);
}

/// Prints what happens to the entries of a push or a pull: a line for each that did not arrive
/// (with --json for each entry), and the counts at the end.
class TransferTeller {
 public:
  /// `verb` is "push" or "pull".
  TransferTeller(const Context& context, std::string verb)
      : json_(context.flag("json")), verb_(std::move(verb)) {}

  /// Moves the entries that the command names. Returns the exit code: 1 where an entry failed.
  int run(const Context& context,
          TransferSummary (Store::*move)(const TransferOptions& options) const) {
    const Store store = store_with_shared(context);
    TransferOptions options{.filter = filter_of(context, context.arguments())};
    options.check = stop_if_interrupted;
    options.report = [this](const Transfer& transfer, std::size_t entries) {
      if (!progress_) progress_.emplace(verb_, entries);
      tell(transfer);
    };
    return finish((store.*move)(options));
  }

 private:
  void tell(const Transfer& transfer) {
    using State = Transfer::State;
    const bool is_done = transfer.state == State::done;
    const std::string state = is_done                            ? verb_ + "ed"
                              : transfer.state == State::present ? "present"
                              : transfer.state == State::refused ? "refused"
                                                                 : "failed";
    // For people one line that the server is out of reach is enough; programs get a line an entry.
    const bool is_news = transfer.state == State::refused || transfer.state == State::failed;
    if (json_ || is_news) progress_->hide();
    if (json_)
      print_json({{"state", state},
                  {"kind", name_of(transfer.kind)},
                  {"key", transfer.key.hex()},
                  {"reason", transfer.reason}});
    else if (is_news)
      complain("{} {} {}: {}", name_of(transfer.kind), transfer.key.hex(), state, transfer.reason);
    if (is_done)
      progress_->advance(1, transfer.key.hex());
    else if (transfer.state == State::present)
      progress_->advance();
  }

  int finish(const TransferSummary& all) {
    if (progress_) progress_->hide();
    if (json_) {
      print_json({{"shared_store", all.where},
                  {verb_ + "ed", all.done},
                  {"bytes", all.bytes},
                  {"present", all.present},
                  {"refused", all.refused},
                  {"failed", all.failed},
                  {"not_tried", all.not_tried}});
    } else {
      std::string text =
          fmt::format("{}ed {}, {}", verb_, entries_text(all.done), byte_count_text(all.bytes));
      if (all.present > 0) text += fmt::format("; {} here already", all.present);
      if (all.refused > 0) text += fmt::format("; {} refused", all.refused);
      if (all.failed > 0) text += fmt::format("; {} failed", all.failed);
      if (all.not_tried > 0)
        text += fmt::format(", of which {} not tried: the server is out of reach", all.not_tried);
      print("{} ({})\n", text, all.where);
    }
    return all.failed == 0 ? 0 : 1;
  }

  const bool json_;
  const std::string verb_;
  std::optional<Progress> progress_;
};

// `kiln store push`: this machine's entries to the fleet's store.

int store_push(Context& context) {
  return TransferTeller(context, "push").run(context, &Store::push);
}

// `kiln store pull`: the fleet's entries to this machine.

int store_pull(Context& context) {
  return TransferTeller(context, "pull").run(context, &Store::pull);
}

}  // namespace

const Command store_push_command{
    .name = "store push",
    .summary = "send entries to the shared store",
    .description =
        "Sends the entries of the local store to the fleet's, in place of what is there under the "
        "same keys. What was made here is signed, if there is a signing key; what came from "
        "elsewhere keeps the signature that it came with. Once the server cannot be reached the "
        "rest is not tried, and counted. Each other entry that did not arrive is named. The exit "
        "code is 1 where one did not.",
    .options = {{options::store, options::shared_store, options::shared_timeout, options::kind,
                 options::device_text, options::json}},
    .positional = key_prefixes,
    .examples = {{"kiln store push", "All that this machine has, for the others."},
                 {"kiln store push 3f2a --kind artifact", "One program."}},
    .body = store_push,
};

const Command store_pull_command{
    .name = "store pull",
    .summary = "bring entries from the shared store",
    .description =
        "Brings the entries of the fleet's store that the local one lacks, as far as this machine "
        "trusts them (KILN_TRUSTED_KEYS); the others are named with the reason, which is no "
        "failure. The exit code is 1 where the server could not be reached or the local store did "
        "not take an entry.",
    .options = {{options::store, options::store_size, options::shared_store,
                 options::shared_timeout, options::kind, options::json}},
    .positional = key_prefixes,
    .examples = {{"kiln store pull --kind artifact",
                  "Every program of the fleet, before the network goes."}},
    .body = store_pull,
};

}  // namespace kiln::cli
