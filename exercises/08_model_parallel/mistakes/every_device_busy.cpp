// mistake: takes all devices to be busy all the time
// fails: BusyShare.IsWhatThePictureShows
// says: one works at a time
// points: 9
#include "exercise.hpp"

namespace pipeline {

double busy_share(std::int32_t devices) { return devices > 0 ? 1.0 : 0.0; }

}  // namespace pipeline
