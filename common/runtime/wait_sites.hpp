/// \file
/// Every reason for which a stream of the runtime waits for another. Tests drop each of
/// them in turn and expect to see it: a wait that can be dropped unnoticed is not
/// needed or not tested.
#pragma once

#include <array>

namespace pipeline::wait_site {

// compute waits for copy: the data is not there yet
/// Of the first stage: the copy of the batch.
inline constexpr const char* kInputArrived = "input arrived";
/// Of the message from the stage before.
inline constexpr const char* kActivationArrived = "activation arrived";
/// Of the message from the next stage.
inline constexpr const char* kGradientArrived = "gradient arrived";
// copy waits for the other device's compute: the message is not made yet
/// Of a stage, before it is copied to the next one.
inline constexpr const char* kActivationReady = "activation ready";
/// Of a stage, before it is copied to the one before.
inline constexpr const char* kGradientReady = "gradient ready";
// copy waits for compute: what lies in the buffer is still read
/// Before the next batch is copied into it.
inline constexpr const char* kInputSlotFree = "input slot free";
/// Before the next activation is copied into it.
inline constexpr const char* kActivationSlotFree = "activation slot free";
/// Before the next gradient is copied into it.
inline constexpr const char* kGradientBufferFree = "gradient buffer free";
// compute waits for the other device's copy: the old message is still read
/// Before a stage writes the next activation where it lay.
inline constexpr const char* kActivationSent = "activation sent";
/// Before a stage writes the next gradient where it lay.
inline constexpr const char* kGradientSent = "gradient sent";
// the sum of two copies: as above, and compute waits until the other has read its own
/// Of the other copy, before it is copied.
inline constexpr const char* kCopysGradientReady = "copy's gradient ready";
/// Of the other copy, before both are summed.
inline constexpr const char* kCopysGradientArrived = "copy's gradient arrived";
/// Of this copy, before it is changed.
inline constexpr const char* kCopysGradientTaken = "copy's gradient taken";
/// Before the next copy into it.
inline constexpr const char* kCopysGradientBufferFree = "copy's gradient buffer free";
// the sum of two tied layers: likewise
/// Of the other layer, before it is copied.
inline constexpr const char* kTiedGradientReady = "tied gradient ready";
/// Of the other layer, before both are summed.
inline constexpr const char* kTiedGradientArrived = "tied gradient arrived";
/// Of this layer, before it is changed.
inline constexpr const char* kTiedGradientTaken = "tied gradient taken";
// the norm of all gradients
/// Of a device, before another copies it.
inline constexpr const char* kNormPartReady = "norm part ready";
/// Of all devices, before they are summed.
inline constexpr const char* kNormPartsArrived = "norm parts arrived";

/// All of them.
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
