// mistake: half of the bytes that the link takes in a latency
// fails: BytesForHalf.TakeTwiceAsLongAsAtFullBandwidth
// says: which is not half of the bandwidth
// points: 18
#include "exercise.hpp"

namespace pipeline {

double bytes_for_half(const Link& link) { return link.latency * link.bandwidth / 2; }

}  // namespace pipeline
