#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/bytes.hpp"
#include "kiln/error.hpp"

/// Who made an entry of a store, and whether this machine trusts its maker: Ed25519 signatures (RFC
/// 8032) and the list of trusted keys. docs/formats/keys.md describes the files.
namespace kiln {

/// The signer's key. As text: 64 hexadecimal digits.
struct PublicKey {
  std::array<std::byte, 32> bytes{};
  KILN_API std::string hex() const;
  auto operator<=>(const PublicKey&) const = default;
};

/// A signature, and whose it is said to be.
struct Signature {
  PublicKey signer;
  std::array<std::byte, 64> bytes{};
  bool operator==(const Signature&) const = default;
};

/// The secret half of a key pair, wiped when it goes. Thread-safe to use.
class KILN_API SigningKey {
 public:
  /// A new pair, from the system's randomness.
  static SigningKey generate();
  /// From the text of a key file (docs/formats/keys.md). Errors: bad_input.
  static Expected<SigningKey> parse(std::string_view text);
  /// Reads a key file, which only its owner may read. Errors: bad_input, io, not_found.
  static Expected<SigningKey> read(const std::string& path);

  SigningKey(const SigningKey&) = default;
  SigningKey& operator=(const SigningKey&) = default;
  ~SigningKey();

  PublicKey public_key() const;
  Signature sign(ByteView message) const;
  /// What parse() reads.
  std::string text() const;

 private:
  SigningKey() = default;
  std::array<std::byte, 32> seed_{};
};

/// Where this machine's key is, which signs what is made here where a list of trusted keys is set:
/// KILN_MACHINE_KEY (a file, or off), else $XDG_STATE_HOME/kiln/machine-key, else
/// $HOME/.local/state/kiln/machine-key. Empty: nowhere. Relative XDG and HOME values are ignored.
KILN_API std::string machine_key_path();

/// Whose entries this machine takes. Where keys are listed, an entry that was made elsewhere is
/// used only with a good signature by one of them; where there is no list, it may be unsigned, but
/// a signature that does not verify is refused all the same.
struct Trust {
  bool required = false;  ///< there is a list, if an empty one
  std::vector<PublicKey> keys;
  std::string origin;       ///< where the list came from, for people; empty: there is none
  bool unreadable = false;  ///< there is a list, but it cannot be read: no key is trusted

  /// Why an entry made elsewhere, whose signed bytes are these, may not be used: "unsigned",
  /// "signed by KEY, which is not listed in …", "its signature does not verify"; empty: it may.
  KILN_API std::string refusal(const std::optional<Signature>& signature,
                               ByteView signed_bytes) const;
};

/// What the environment says: KILN_TRUSTED_KEYS (a file, or off), else
/// $XDG_CONFIG_HOME/kiln/trusted-keys, else ~/.config/kiln/trusted-keys, else
/// /etc/kiln/trusted-keys, the first that is there. Of a list that cannot be read no key is
/// trusted, and one line in the log says why.
KILN_API Trust default_trust();

/// The key that this user's entries are signed with: KILN_SIGNING_KEY (a file, or off), else
/// $XDG_CONFIG_HOME/kiln/signing-key or ~/.config/kiln/signing-key if it is there.
KILN_API Expected<std::optional<SigningKey>> default_signing_key();

}  // namespace kiln
