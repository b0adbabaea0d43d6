/// \file
/// From tokens to vectors, and from vectors to the logits of tokens.
#pragma once

#include <cstdint>
#include <memory>

#include "layers/layer.hpp"

namespace pipeline {

/// y = tokens[id] + places[position]. x is rows x 1: the ids, whole numbers below
/// `vocabulary` (a float holds them exactly below 2^24); a sequence has at most
/// `positions` of them. Parameters: tokens first (vocabulary x width), then places
/// (positions x width); both start normal with a deviation of 0.02 (Radford et al.
/// 2019, as in GPT-2). An id has no gradient: dx is 0.
std::unique_ptr<Layer> embedding(std::int32_t vocabulary, std::int32_t positions,
                                 std::int32_t width);

/// y = x tokens^T, the logits. Parameters: tokens (vocabulary x width), as in
/// `embedding`, so that the two can be tied; no bias.
std::unique_ptr<Layer> unembedding(std::int32_t width, std::int32_t vocabulary);

}  // namespace pipeline
