#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/signature.hpp"

namespace kiln {

/// Whose entries this machine takes. Where keys are listed, an entry that was made elsewhere is
/// used only with a good signature by one of them; where there is no list, it may be unsigned, but
/// a signature that does not verify is refused all the same.
struct Trust {
  bool required = false;  ///< there is a list, if an empty one
  std::vector<PublicKey> keys;
  std::string origin;       ///< where the list came from, for people; empty: there is none
  bool unreadable = false;  ///< there is a list, but nobody knows what it says: it names no key

  /// Why an entry made elsewhere, whose signed bytes are these, may not be used: "unsigned",
  /// "signed by KEY, which is not listed in …", "its signature does not verify"; empty: it may.
  std::string refusal(const std::optional<Signature>& signature, ByteView signed_bytes) const;
};

/// Reads a list: a public key a line, then perhaps a blank and a name; # begins a comment.
/// Errors: bad_input (file:line), io, not_found.
Expected<Trust> read_trust(const std::string& path);

/// What the environment says: KILN_TRUSTED_KEYS (a file, or off), else
/// $XDG_CONFIG_HOME/kiln/trusted-keys, else ~/.config/kiln/trusted-keys, else
/// /etc/kiln/trusted-keys, the first that is there. A list that cannot be read trusts nobody, and
/// one line in the log says why.
Trust default_trust();

/// The key that this user's entries are signed with: KILN_SIGNING_KEY (a file, or off), else
/// $XDG_CONFIG_HOME/kiln/signing-key or ~/.config/kiln/signing-key if it is there.
Expected<std::optional<SigningKey>> default_signing_key();

}  // namespace kiln
