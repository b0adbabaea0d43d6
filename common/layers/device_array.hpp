/// \file
/// Values on a device for tests and small programs; every transfer is waited for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "device/device.hpp"
#include "layers/layer.hpp"

namespace pipeline {

/// An array on the device of a stream.
template <typename T>
class DeviceArray {
 public:
  /// Copies `values` to the device.
  DeviceArray(Stream& stream, std::vector<T> values)
      : stream_(stream),
        count_(values.size()),
        buffer_(stream.device(), std::max<std::size_t>(count_, 1) * sizeof(T)) {
    write(values);
  }

  /// On the device; 64-byte aligned.
  T* data() const { return reinterpret_cast<T*>(buffer_.region().data); }
  /// How many elements there are.
  std::size_t size() const { return count_; }
  /// `values` holds size() of them.
  void write(std::vector<T>& values) {
    stream_.copy(region(), {reinterpret_cast<std::byte*>(values.data()),
                            values.size() * sizeof(T), nullptr});
    stream_.synchronize();
  }
  /// Copies all of it to the host.
  std::vector<T> read() const {
    std::vector<T> values(count_);
    stream_.copy(
        {reinterpret_cast<std::byte*>(values.data()), count_ * sizeof(T), nullptr},
        region());
    stream_.synchronize();
    return values;
  }
  /// The same as rows of a matrix; size() is rows x columns. Of float only.
  Matrix matrix(std::int32_t rows, std::int32_t columns) const {
    return {data(), rows, columns};
  }

 private:
  Region region() const { return buffer_.part(0, count_ * sizeof(T)); }
  Stream& stream_;
  std::size_t count_;
  Buffer buffer_;
};

}  // namespace pipeline
