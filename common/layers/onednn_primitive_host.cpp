#include <algorithm>
#include <cassert>

#include "device/allocation_watch.hpp"
#include "layers/onednn_accesses.hpp"
#include "layers/onednn_primitive.hpp"

namespace pipeline {

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

OnednnPrimitive::OnednnPrimitive(const dnnl::engine& engine,
                                 const dnnl::primitive& made,
                                 const dnnl::memory::desc& scratchpad,
                                 const std::vector<Argument>& arguments)
    : primitive_(made) {
  const auto add = [&](int name, const dnnl::memory::desc& description) {
    bytes_.push_back(description.get_size());
    memory_.push_back(dnnl::memory(description, engine, DNNL_MEMORY_NONE));
    arguments_.push_back({name, memory_.back().get()});
  };
  for (const Argument& argument : arguments) add(argument.name, argument.description);
  add(DNNL_ARG_SCRATCHPAD, scratchpad);
}

void OnednnPrimitive::run(const dnnl::stream& stream, ScratchCache& cache,
                          std::initializer_list<const float*> data) {
  assert(data.size() + 1 == memory_.size());
  const Scratch<char> scratchpad(cache, std::max<std::size_t>(bytes_.back(), 1));
  auto next = memory_.begin();
  for (const float* pointer : data) {
    (next++)->set_data_handle(const_cast<float*>(pointer));
  }
  next->set_data_handle(scratchpad.data());
  for (std::size_t i = 0; i < memory_.size(); ++i)
    tell_sanitizer(memory_[i], arguments_[i].arg);
  const AllocationsNotCounted inside_of_onednn;  // its execution context, ~7 times
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive_.get(), stream.get(),
                             static_cast<int>(arguments_.size()), arguments_.data()),
      "a oneDNN primitive failed");
}

}  // namespace pipeline
