/// \file
/// Chimera: two pipelines in opposite directions over the same devices, each with its
/// own copy of the weights.
#pragma once

#include <cstdint>

#include "schedule/error.hpp"
#include "schedule/generate.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// How units follow one another where a step has more micro-batches than one holds
/// (Li and Hoefler 2021, section 3.5).
enum class Concatenation : std::uint8_t {
  Direct,          ///< a unit holds p micro-batches
  ForwardDoubling  ///< 2p: two forwards stand where one backward does, for B = 2F
};

/// Chimera (Li and Hoefler, SC 2021, section 3.1), for an even number of devices and at
/// least 2 micro-batches, which need not be a multiple of a unit's. Micro-batches 0 to
/// ceil(m/2)-1 of a step go down the devices on the first copy of the weights, the
/// others up on the second; a `Reduce` joins the gradients of both.
///
/// Idle fraction with free transfers: (p-2)/(2m+p-2) where F=B, for every multiple of p
/// with direct concatenation; where B=2F, (p-2)/(1.5m+p-2) for m=p, and (p-2)/(2m+p-2)
/// for every multiple of 2p with forward doubling (the paper sends both forwards of a
/// slot on together; here each goes on when it is done). Device d holds at most
/// p/2+1+min(d, p-1-d) activations, under forward doubling at most p/2 more each way.
Expected<Schedule> chimera(const Shape& shape,
                           Concatenation concatenation = Concatenation::Direct);

}  // namespace pipeline
