/// \file
/// C++ sources as rows of tokens in which names, layout and comments count for nothing,
/// and fingerprints of them by winnowing (Schleimer, Wilkerson, Aiken, "Winnowing:
/// Local Algorithms for Document Fingerprinting", 2003).
///
///     for (int k = 0; k < m; ++k)   ─►   for ( T I = N ; I < I ; ++ I )
///                                        └── 14 in a row: a hash ──┘
///                                          └── and each next one ──┘
///                                        of each 4 hashes in a row, the least is kept
///
/// So two sources with the same 17 tokens in a row anywhere have a fingerprint in
/// common, and most of the others are never looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pipeline {

/// Tokens in a hash: what is shorter than this is never taken for a match.
inline constexpr std::size_t kGram = 14;
/// Hashes of which one is kept.
inline constexpr std::size_t kWindow = 4;
/// Tokens of a source that are looked at. Nobody writes more by hand.
inline constexpr std::size_t kMostTokens = 20000;

/// A token and where it stands. Two are alike where `kind` is equal: all names are
/// alike, all numbers, all texts, and all types that the language gives.
struct Token {
  std::uint64_t kind = 0;  ///< equal where two tokens are alike
  std::size_t begin = 0;   ///< in bytes
  std::size_t end = 0;     ///< in bytes, one past its last
};

/// The first kMostTokens tokens. Comments and preprocessor lines hold none, and neither
/// do braces, `const`, `static`, `std::` and the like, which can be put in and taken
/// out without changing what a program does. Any bytes will do as `source`; the time is
/// linear in them.
std::vector<Token> tokens_of(std::string_view source);

/// The hash of each `length` tokens in a row; entry i begins with token i.
std::vector<std::uint64_t> grams_of(const std::vector<Token>& tokens,
                                    std::size_t length = kGram);

/// The places of the hashes that are kept: in each kWindow in a row the least, and of
/// several equal ones the last. All are one window where there are fewer.
std::vector<std::size_t> winnow(const std::vector<std::uint64_t>& grams);

}  // namespace pipeline
