/// \file
/// Every reason for which a stream of the runtime waits for another. Tests drop each of
/// them in turn and expect to see it: a wait that can be dropped unnoticed is not
/// needed or not tested.
#pragma once

#include <array>

namespace pipeline::wait_site {

// compute waits for copy: the data is not there yet
inline constexpr const char* kInputArrived = "input arrived";
inline constexpr const char* kActivationArrived = "activation arrived";
inline constexpr const char* kGradientArrived = "gradient arrived";
// copy waits for the other device's compute: the message is not made yet
inline constexpr const char* kActivationReady = "activation ready";
inline constexpr const char* kGradientReady = "gradient ready";
// copy waits for compute: what lies in the buffer is still read
inline constexpr const char* kInputSlotFree = "input slot free";
inline constexpr const char* kActivationSlotFree = "activation slot free";
inline constexpr const char* kGradientBufferFree = "gradient buffer free";
// compute waits for the other device's copy: the old message is still read
inline constexpr const char* kActivationSent = "activation sent";
inline constexpr const char* kGradientSent = "gradient sent";
// the sum of two copies: as above, and compute waits until the other has read its own
inline constexpr const char* kCopysGradientReady = "copy's gradient ready";
inline constexpr const char* kCopysGradientArrived = "copy's gradient arrived";
inline constexpr const char* kCopysGradientTaken = "copy's gradient taken";
inline constexpr const char* kCopysGradientBufferFree = "copy's gradient buffer free";
// the sum of two tied layers: likewise
inline constexpr const char* kTiedGradientReady = "tied gradient ready";
inline constexpr const char* kTiedGradientArrived = "tied gradient arrived";
inline constexpr const char* kTiedGradientTaken = "tied gradient taken";
// the norm of all gradients
inline constexpr const char* kNormPartReady = "norm part ready";
inline constexpr const char* kNormPartsArrived = "norm parts arrived";

inline constexpr std::array kAll = {
    kInputArrived,        kActivationArrived,       kGradientArrived,
    kActivationReady,     kGradientReady,           kInputSlotFree,
    kActivationSlotFree,  kGradientBufferFree,      kActivationSent,
    kGradientSent,        kCopysGradientReady,      kCopysGradientArrived,
    kCopysGradientTaken,  kCopysGradientBufferFree, kTiedGradientReady,
    kTiedGradientArrived, kTiedGradientTaken,       kNormPartReady,
    kNormPartsArrived,
};

}  // namespace pipeline::wait_site
