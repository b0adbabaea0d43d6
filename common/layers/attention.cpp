// Scores are never kept: the backward pass makes them again from x. And they are never
// all there at once, only those of a block of queries of one sample. Keys that none of
// the block sees are left out:
//
//     keys      0 … … … … … … … … … … … … … … … … … last
//     block 0   █ █ █ ▄                                      ▄ of the triangle on the
//     block 1   █ █ █ █ █ █ █ ▄                                diagonal, what lies
//     block 2   █ █ █ █ █ █ █ █ █ █ █ ▄                        above is put to 0
//     …
//
// A slice of a cut sequence is such a block too, and blocks of it follow.
#include "layers/attention.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "layers/matmul.hpp"
#include "layers/policy.hpp"

namespace pipeline {

namespace {

/// Queries in a block: all heads' scores of it fit into a core's second cache.
constexpr std::int32_t kBlockRows = 128;

/// Rows of three (queries, keys, values) or four parts, each `width` columns:
///
///     x, dx:   Q | K | V              cache:   K | V | dK | dV
template <typename Float>
struct Rows {
  Float* data = nullptr;
  std::int32_t stride = 0;

  PIPELINE_HD Rows from(std::int64_t row, std::int32_t column) const {
    return {data + row * stride + column, stride};
  }
};

/// rows x columns, from one place to another.
void copy(Compute& on, std::int32_t rows, std::int32_t columns, Rows<const float> from,
          Rows<float> to) {
  for_each_piece(
      on, rows, columns,
      [=] PIPELINE_HD(std::int32_t row, std::int32_t first, std::int32_t end) {
        const float* in = from.from(row, 0).data;
        float* out = to.from(row, 0).data;
        for (std::int32_t j = first; j < end; ++j) out[j] = in[j];
      });
}

/// The scores of a block: for each head queries x keys, one matrix after the other.
/// Query i sees the first keys - queries + i + 1 of them, itself included.
struct Block {
  std::int32_t heads = 0;
  std::int32_t queries = 0;
  std::int32_t keys = 0;

  PIPELINE_HD std::int32_t seen(std::int64_t row) const {
    return keys - queries + static_cast<std::int32_t>(row % queries) + 1;
  }
  std::size_t size() const { return static_cast<std::size_t>(heads) * queries * keys; }
  MatrixBatch of(float* scores) const {
    return {scores, queries, keys, keys, static_cast<std::int64_t>(queries) * keys};
  }
  ConstMatrixBatch of_const(const float* scores) const {
    return {scores, queries, keys, keys, static_cast<std::int64_t>(queries) * keys};
  }
};

/// Each row of scores becomes softmax(scale * row) over the keys that are seen.
void softmax_rows(Compute& on, const Block& block, float scale, float* scores) {
  const auto rows = static_cast<std::int64_t>(block.heads) * block.queries;
  for_each_index(on, rows, [=] PIPELINE_HD(std::int64_t i) {
    float* row = scores + i * block.keys;
    const std::int32_t seen = block.seen(i);
    float maximum = row[0];
    for (std::int32_t j = 1; j < seen; ++j) {
      maximum = row[j] > maximum ? row[j] : maximum;
    }
    float sum = 0;
    for (std::int32_t j = 0; j < seen; ++j) {
      row[j] = std::exp(scale * (row[j] - maximum));
      sum += row[j];
    }
    const float share = 1 / sum;
    for (std::int32_t j = 0; j < seen; ++j) row[j] *= share;
    for (std::int32_t j = seen; j < block.keys; ++j) row[j] = 0;
  });
}

/// The gradients of probabilities become those of the scores before `scale`:
///
///     ds = scale * p (dp - sum(p dp))
void softmax_gradient_rows(Compute& on, const Block& block, float scale,
                           const float* probabilities, float* gradients) {
  const auto rows = static_cast<std::int64_t>(block.heads) * block.queries;
  for_each_index(on, rows, [=] PIPELINE_HD(std::int64_t i) {
    const float* share = probabilities + i * block.keys;
    float* gradient = gradients + i * block.keys;
    const std::int32_t seen = block.seen(i);
    float sum = 0;
    for (std::int32_t j = 0; j < seen; ++j) sum += share[j] * gradient[j];
    for (std::int32_t j = 0; j < seen; ++j) {
      gradient[j] = scale * share[j] * (gradient[j] - sum);
    }
    for (std::int32_t j = seen; j < block.keys; ++j) gradient[j] = 0;
  });
}

class CausalAttention : public Layer {
 public:
  CausalAttention(std::int32_t width, std::int32_t heads)
      : width_(width), heads_(heads), head_(width / heads) {}

  std::string name() const override {
    return "causal attention " + std::to_string(width_) + ", " +
           std::to_string(heads_) + (heads_ == 1 ? " head" : " heads");
  }
  std::int32_t inputs() const override { return 3 * width_; }
  std::int32_t outputs() const override { return width_; }
  std::size_t parameter_count() const override { return 0; }
  void initialise(float*, std::uint64_t) const override {}
  std::size_t cache_floats(std::int32_t samples,
                           std::int32_t positions) const override {
    return std::size_t{4} * width_ * samples * positions;
  }

  void forward(Compute& on, const Call& call, ConstMatrix x, Matrix y) const override {
    const std::int32_t positions = call.pass.positions;
    const Scratch<float> scores(on.scratch(), largest_block(call.pass).size());
    for (std::int32_t sample = 0; sample < x.rows / positions; ++sample) {
      const Rows<const float> in = sample_of(x, sample, positions);
      const Rows<float> out{y.data + std::int64_t{sample} * positions * width_, width_};
      if (call.cache != nullptr) {
        copy(on, positions, 2 * width_, in.from(0, width_),
             cache_of(call, sample).from(call.pass.first_position, 0));
      }
      const Rows<const float> keys = keys_of(call, in, sample);
      for (std::int32_t first = 0; first < positions; first += kBlockRows) {
        const Block block = block_at(call.pass, first);
        probabilities(on, block, in.from(first, 0), keys, scores.data());
        matmul_batch(on, heads_, Transpose::No, block.of_const(scores.data()),
                     Transpose::No, head(keys.from(0, width_), block.keys), 0,
                     head(out.from(first, 0), block.queries));
      }
    }
  }

  void input_gradient(Compute& on, const Call& call, ConstMatrix x, ConstMatrix dy,
                      Matrix dx) const override {
    const std::int32_t positions = call.pass.positions;
    const std::size_t most = largest_block(call.pass).size();
    const Scratch<float> scores(on.scratch(), most);
    const Scratch<float> gradients(on.scratch(), most);
    for (std::int32_t sample = 0; sample < x.rows / positions; ++sample) {
      const Rows<const float> in = sample_of(x, sample, positions);
      const Rows<const float> dout{dy.data + std::int64_t{sample} * positions * width_,
                                   width_};
      const Rows<float> din{dx.data + std::int64_t{sample} * positions * 3 * width_,
                            3 * width_};
      const Rows<const float> keys = keys_of(call, in, sample);
      const Rows<float> dkeys = call.cache == nullptr
                                    ? din.from(0, width_)
                                    : cache_of(call, sample).from(0, 2 * width_);
      // From the last to the first: the last sees all keys, and so writes to all.
      for (std::int32_t first = (positions - 1) / kBlockRows * kBlockRows; first >= 0;
           first -= kBlockRows) {
        const Block block = block_at(call.pass, first);
        probabilities(on, block, in.from(first, 0), keys, scores.data());
        block_gradient(on, block, in.from(first, 0), keys, dout.from(first, 0),
                       scores.data(), gradients.data(), din.from(first, 0), dkeys,
                       block.keys == length(call) ? 0.0F : 1.0F);
      }
      if (call.cache != nullptr) {
        copy(on, positions, 2 * width_,
             constant(dkeys.from(call.pass.first_position, 0)), din.from(0, width_));
      }
    }
  }
  void weight_gradient(Compute&, const Call&, ConstMatrix, ConstMatrix,
                       float*) const override {}

 private:
  /// The heads of rows x width, whose first row begins at `at`.
  template <typename Float>
  BasicMatrixBatch<Float> head(Rows<Float> at, std::int32_t rows) const {
    return {at.data, rows, head_, at.stride, head_};
  }
  static Rows<const float> constant(Rows<float> rows) {
    return {rows.data, rows.stride};
  }
  Rows<const float> sample_of(ConstMatrix x, std::int32_t sample,
                              std::int32_t positions) const {
    return {x.data + std::int64_t{sample} * positions * 3 * width_, 3 * width_};
  }
  Rows<float> cache_of(const Call& call, std::int32_t sample) const {
    return {call.cache + std::int64_t{sample} * call.pass.all_positions * 4 * width_,
            4 * width_};
  }
  /// K | V from position 0 on: of x itself, or of the cache.
  Rows<const float> keys_of(const Call& call, Rows<const float> in,
                            std::int32_t sample) const {
    return call.cache == nullptr ? in.from(0, width_)
                                 : constant(cache_of(call, sample));
  }
  static std::int32_t length(const Call& call) {
    return call.cache == nullptr ? call.pass.positions : call.pass.all_positions;
  }
  /// The block of queries that begins at position `first` of a slice.
  Block block_at(const Pass& pass, std::int32_t first) const {
    const std::int32_t queries = std::min(kBlockRows, pass.positions - first);
    return {heads_, queries, pass.first_position + first + queries};
  }
  Block largest_block(const Pass& pass) const {
    return {heads_, std::min(kBlockRows, pass.positions),
            pass.first_position + pass.positions};
  }
  float scale() const { return 1 / std::sqrt(static_cast<float>(head_)); }

  void probabilities(Compute& on, const Block& block, Rows<const float> queries,
                     Rows<const float> keys, float* scores) const {
    matmul_batch(on, heads_, Transpose::No, head(queries, block.queries),
                 Transpose::Yes, head(keys, block.keys), 0, block.of(scores));
    softmax_rows(on, block, scale(), scores);
  }

  /// dV (+)= P^T dY;  dP = dY V^T;  dS = softmax'(dP);  dQ = dS K;  dK (+)= dS^T Q.
  void block_gradient(Compute& on, const Block& block, Rows<const float> queries,
                      Rows<const float> keys, Rows<const float> dout,
                      const float* probability, float* scratch, Rows<float> dqueries,
                      Rows<float> dkeys, float beta) const {
    const ConstMatrixBatch gradient = head(dout, block.queries);
    matmul_batch(on, heads_, Transpose::Yes, block.of_const(probability), Transpose::No,
                 gradient, beta, head(dkeys.from(0, width_), block.keys));
    matmul_batch(on, heads_, Transpose::No, gradient, Transpose::Yes,
                 head(keys.from(0, width_), block.keys), 0, block.of(scratch));
    softmax_gradient_rows(on, block, scale(), probability, scratch);
    matmul_batch(on, heads_, Transpose::No, block.of_const(scratch), Transpose::No,
                 head(keys, block.keys), 0, head(dqueries, block.queries));
    matmul_batch(on, heads_, Transpose::Yes, block.of_const(scratch), Transpose::No,
                 head(queries, block.queries), beta, head(dkeys, block.keys));
  }

  std::int32_t width_;
  std::int32_t heads_;
  std::int32_t head_;
};

}  // namespace

std::unique_ptr<Layer> causal_attention(std::int32_t width, std::int32_t heads) {
  assert(heads > 0 && width > 0 && width % heads == 0);
  return std::make_unique<CausalAttention>(width, heads);
}

}  // namespace pipeline
