#include "layers/residual_net.hpp"

#include "layers/pooling.hpp"

namespace pipeline {

namespace {

void push_convolution_and_norm(Network& network, const ImageShape& image,
                               std::int32_t filters, std::int32_t stride,
                               BatchNormMode mode) {
  network.push_back(convolution(image, filters, {.stride = stride, .bias = false}));
  network.push_back(batch_norm(convolved(image, filters, stride), mode));
}

void push_block(Network& network, const ImageShape& image, BatchNormMode mode) {
  const auto from = static_cast<std::int32_t>(network.size());
  push_convolution_and_norm(network, image, image.channels, 1, mode);
  network.push_back(relu(image.columns()));
  push_convolution_and_norm(network, image, image.channels, 1, mode);
  network.skips.push_back({from, static_cast<std::int32_t>(network.size()) - 1});
  network.push_back(relu(image.columns()));
}

}  // namespace

Network residual_net(const ResidualShape& shape) {
  Network network;
  ImageShape image = shape.image;
  for (const std::int32_t channels : shape.levels) {
    push_convolution_and_norm(network, image, channels, 2, shape.batch_norm);
    image = convolved(image, channels, 2);
    network.push_back(relu(image.columns()));
    for (std::int32_t i = 0; i < shape.blocks; ++i) {
      push_block(network, image, shape.batch_norm);
    }
  }
  network.push_back(global_average_pool(image));
  network.push_back(linear(image.channels, shape.classes));
  return network;
}

}  // namespace pipeline
