// mistake: the fraction is upside down
// fails: LeastBandwidth.IsWhereTheLinkTakesAsLongAsTheStage
// says: a message takes
// points: 13
#include "exercise.hpp"

namespace pipeline {

double least_bandwidth(double bytes, double stage_time) { return stage_time / bytes; }

}  // namespace pipeline
