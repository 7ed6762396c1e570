// NumPy's .npz files: named .npy files in a zip archive, stored without compression as numpy.savez does.
// Compressed and encrypted entries, archives above 4 GiB (zip64) and in several parts are refused with the reason.
#pragma once
#include <string>

#include "frontend/io/host_tensor.h"

namespace nacre::io {

// By name, without the ".npy" of the archive. Checksums are verified. Throws FileError.
NamedTensors read_npz(const std::string& path);

// Atomic; equal tensors give equal bytes. Throws FileError, and Error when data and shape of a tensor disagree or the
// archive would need zip64 (safetensors has no such limit).
void write_npz(const std::string& path, const NamedTensors& tensors);

}  // namespace nacre::io
