#include "device/cuda_launch.hpp"

namespace pipeline {

void launch_on_stream(const Work& work, cudaStream_t stream) { work(stream); }

}  // namespace pipeline
