#include "data/image_filter.hpp"

#include <cassert>
#include <cstddef>

#include "layers/compute.hpp"

namespace pipeline {

namespace {

/// Host memory as the region that a stream copies from or to.
template <typename T>
Region host_region(T* data, std::size_t count) {
  // Who only copies from it does not change it.
  return {reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(data)),
          count * sizeof(T), nullptr};
}

}  // namespace

struct ImageFilter::Parts {
  Parts(Device& device, std::int32_t most, std::size_t pixels, const FilterOptions& o)
      : options(o),
        most_images(most),
        compute(device),
        image(device, pixels),
        thin(device, pixels),
        labels(device, pixels * sizeof(std::int32_t)),
        counts(device, static_cast<std::size_t>(most) * sizeof(std::int32_t)),
        stream(device.make_stream("filter")) {}

  // [chain]
  void chain() {
    const GreyImages in = work;
    auto* const out = reinterpret_cast<std::uint8_t*>(thin.region().data);
    auto* const label = reinterpret_cast<std::int32_t*>(labels.region().data);
    open(compute, options.element, in, out);
    top_hat(compute, in, out, out);
    threshold(compute, in.with(out), options.level, out);
    label_components(compute, in.with(out), label);
    count_components(compute, in.with(out), label,
                     reinterpret_cast<std::int32_t*>(counts.region().data));
  }
  // [chain]

  template <typename F>
  void issue(GreyImages images, const F& work_on_device);

  FilterOptions options;
  std::int32_t most_images;
  Compute compute;
  Buffer image;
  Buffer thin;  // the opening, then the top-hat, then the mask
  Buffer labels;
  Buffer counts;
  GreyImages work;                 // what `chain` works on, on the device
  std::unique_ptr<Stream> stream;  // last: its work uses all of the above
};

ImageFilter::ImageFilter(Device& device, std::int32_t most, std::int32_t height,
                         std::int32_t width, const FilterOptions& options)
    : parts_(std::make_unique<Parts>(
          device, most, GreyImages{nullptr, most, height, width}.size(), options)) {}

ImageFilter::~ImageFilter() = default;

/// Copies images to the device and calls work(parts) there.
template <typename F>
void ImageFilter::Parts::issue(GreyImages images, const F& work_on_device) {
  const std::size_t pixels = images.size();
  assert(images.count <= most_images && pixels <= image.region().bytes);
  work = images.with(reinterpret_cast<const std::uint8_t*>(image.region().data));
  stream->copy(image.part(0, pixels), host_region(images.pixels, pixels));
  stream->run(Work([parts = this, work_on_device](NativeStream native) {
    parts->compute.enter(native);
    work_on_device(*parts);
  }));
}

void ImageFilter::run(GreyImages images, std::uint8_t* mask, std::int32_t* components) {
  Parts& p = *parts_;
  const auto count = static_cast<std::size_t>(images.count);
  p.issue(images, [](Parts& parts) { parts.chain(); });
  p.stream->copy(host_region(mask, images.size()), p.thin.part(0, images.size()));
  p.stream->copy(host_region(components, count),
                 p.counts.part(0, count * sizeof(std::int32_t)));
  p.stream->synchronize();
}

void ImageFilter::opening(GreyImages images, std::uint8_t* opened) {
  Parts& p = *parts_;
  p.issue(images, [](Parts& parts) {
    open(parts.compute, parts.options.element, parts.work,
         reinterpret_cast<std::uint8_t*>(parts.thin.region().data));
  });
  p.stream->copy(host_region(opened, images.size()), p.thin.part(0, images.size()));
  p.stream->synchronize();
}

}  // namespace pipeline
