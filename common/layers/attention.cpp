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

/// Queries in a block. Of smaller ones less lies above the diagonal; of larger ones the
/// products are faster.
constexpr std::int32_t kBlockRows = 64;

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

/// A row of scores is worked on up to the next multiple of this many, and what lies
/// behind the last key seen is masked: whole vectors, and no elements left over that
/// would each take as long as a vector.
constexpr std::int32_t kLanes = 16;

PIPELINE_HD inline std::int32_t whole_lanes(std::int32_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

/// The scores of a block: for each head queries x keys, one matrix after the other,
/// rows padded to whole lanes. Query i sees the first keys - queries + i + 1 of them,
/// itself included.
struct Block {
  std::int32_t heads = 0;
  std::int32_t queries = 0;
  std::int32_t keys = 0;

  std::int32_t rows() const { return heads * queries; }
  PIPELINE_HD std::int32_t seen(std::int64_t row) const {
    return keys - queries + static_cast<std::int32_t>(row % queries) + 1;
  }
  PIPELINE_HD std::int32_t stride() const { return whole_lanes(keys); }
  std::size_t size() const { return static_cast<std::size_t>(rows()) * stride(); }
  template <typename Float>
  BasicMatrixBatch<Float> of(Float* scores) const {
    return {scores, queries, keys, stride(), std::int64_t{queries} * stride()};
  }
};

/// Each row of scores becomes softmax(scale * row) over the keys that are seen.
void softmax_rows(Compute& on, const Block& block, float scale, float* scores) {
  for_each_index(on, block.rows(), [=] PIPELINE_HD(std::int64_t i) {
    float* row = scores + i * block.stride();
    const std::int32_t seen = block.seen(i);
    const std::int32_t end = whole_lanes(seen);
    const float first = row[0];
    float maximum = first;
    for (std::int32_t j = 0; j < end; ++j) {
      const float score = j < seen ? row[j] : first;
      maximum = score > maximum ? score : maximum;
    }
    float sum = 0;
    for (std::int32_t j = 0; j < end; ++j) {
      const float share = std::exp(j < seen ? scale * (row[j] - maximum) : 0.0F);
      row[j] = j < seen ? share : 0.0F;
      sum += row[j];
    }
    const float factor = 1 / sum;
    for (std::int32_t j = 0; j < end; ++j) row[j] *= factor;
    for (std::int32_t j = end; j < block.stride(); ++j) row[j] = 0;
  });
}

/// The gradients of probabilities become those of the scores before `scale`:
///
///     ds = scale * p (dp - sum(p dp))
void softmax_gradient_rows(Compute& on, const Block& block, float scale,
                           const float* probabilities, float* gradients) {
  for_each_index(on, block.rows(), [=] PIPELINE_HD(std::int64_t i) {
    const float* share = probabilities + i * block.stride();
    float* gradient = gradients + i * block.stride();
    const std::int32_t seen = block.seen(i);
    const std::int32_t end = whole_lanes(seen);
    float sum = 0;
    for (std::int32_t j = 0; j < end; ++j) {
      sum += j < seen ? share[j] * gradient[j] : 0.0F;
    }
    for (std::int32_t j = 0; j < end; ++j) {
      gradient[j] = j < seen ? scale * share[j] * (gradient[j] - sum) : 0.0F;
    }
    for (std::int32_t j = end; j < block.stride(); ++j) gradient[j] = 0;
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
    const Pass& pass = call.pass;
    assert(call.cache != nullptr || pass.first_position == 0);
    const Scratch<float> scores(on.scratch(), most_scores(pass));
    if (call.cache != nullptr) keep_keys(on, call, x);
    for (std::int32_t sample = 0; sample < x.rows / pass.positions; ++sample) {
      const Rows<const float> queries = sample_of(x, pass, sample);
      const Rows<const float> keys = keys_of(call, x, sample);
      const Rows<float> out = sample_of(y, pass, sample);
      for (std::int32_t first = 0; first < pass.positions; first += kBlockRows) {
        const Block block = block_at(pass, first);
        probabilities(on, block, queries.from(first, 0), keys, scores.data());
        matmul_batch(on, heads_, Transpose::No, block.of<const float>(scores.data()),
                     Transpose::No, heads_of(keys.from(0, width_), block.keys), 0,
                     heads_of(out.from(first, 0), block.queries));
      }
    }
  }

  void input_gradient(Compute& on, const Call& call, ConstMatrix x, ConstMatrix dy,
                      Matrix dx) const override {
    const Pass& pass = call.pass;
    assert(call.cache != nullptr || pass.first_position == 0);
    const Scratch<float> scores(on.scratch(), most_scores(pass));
    const Scratch<float> gradients(on.scratch(), most_scores(pass));
    const std::int32_t all =
        call.cache == nullptr ? pass.positions : pass.all_positions;
    for (std::int32_t sample = 0; sample < x.rows / pass.positions; ++sample) {
      const Rows<const float> queries = sample_of(x, pass, sample);
      const Rows<const float> keys = keys_of(call, x, sample);
      const Rows<const float> dout = sample_of(dy, pass, sample);
      const Rows<float> dqueries = sample_of(dx, pass, sample);
      const Rows<float> dkeys = call.cache == nullptr
                                    ? dqueries.from(0, width_)
                                    : cache_of(call, sample).from(0, 2 * width_);
      // From the last to the first: the last sees all keys, and so writes to all.
      for (std::int32_t first = (pass.positions - 1) / kBlockRows * kBlockRows;
           first >= 0; first -= kBlockRows) {
        const Block block = block_at(pass, first);
        probabilities(on, block, queries.from(first, 0), keys, scores.data());
        block_gradient(on, block, queries.from(first, 0), keys, dout.from(first, 0),
                       scores.data(), gradients.data(), dqueries.from(first, 0), dkeys,
                       block.keys == all ? 0.0F : 1.0F);
      }
    }
    if (call.cache != nullptr) take_key_gradients(on, call, dx);
  }
  void weight_gradient(Compute&, const Call&, ConstMatrix, ConstMatrix,
                       float*) const override {}

 private:
  /// The first row of a sample: of x, of y, or of their gradients.
  static Rows<float> sample_of(Matrix m, const Pass& pass, std::int32_t sample) {
    return Rows<float>{m.data, m.columns}.from(std::int64_t{sample} * pass.positions,
                                               0);
  }
  static Rows<const float> sample_of(ConstMatrix m, const Pass& pass,
                                     std::int32_t sample) {
    return Rows<const float>{m.data, m.columns}.from(
        std::int64_t{sample} * pass.positions, 0);
  }
  Rows<float> cache_of(const Call& call, std::int32_t sample) const {
    return Rows<float>{call.cache, 4 * width_}.from(
        std::int64_t{sample} * call.pass.all_positions, 0);
  }
  /// K | V from position 0 on: of x itself, or of the cache.
  Rows<const float> keys_of(const Call& call, ConstMatrix x,
                            std::int32_t sample) const {
    if (call.cache == nullptr) return sample_of(x, call.pass, sample).from(0, width_);
    return constant(cache_of(call, sample));
  }
  static Rows<const float> constant(Rows<float> rows) {
    return {rows.data, rows.stride};
  }
  /// Matrices of `rows` rows, a head each, the first of which begins at `at`.
  template <typename Float>
  BasicMatrixBatch<Float> heads_of(Rows<Float> at, std::int32_t rows) const {
    return {at.data, rows, head_, at.stride, head_};
  }
  float scale() const { return 1 / std::sqrt(static_cast<float>(head_)); }

  /// The block of queries that begins at position `first` of a slice.
  Block block_at(const Pass& pass, std::int32_t first) const {
    const std::int32_t queries = std::min(kBlockRows, pass.positions - first);
    return {heads_, queries, pass.first_position + first + queries};
  }
  std::size_t most_scores(const Pass& pass) const {
    return Block{heads_, std::min(kBlockRows, pass.positions),
                 pass.first_position + pass.positions}
        .size();
  }

  /// A slice's K | V of x to the cache, and dK | dV from there to dx.
  void keep_keys(Compute& on, const Call& call, ConstMatrix x) const {
    for (std::int32_t sample = 0; sample < x.rows / call.pass.positions; ++sample) {
      copy(on, call.pass.positions, 2 * width_,
           sample_of(x, call.pass, sample).from(0, width_),
           cache_of(call, sample).from(call.pass.first_position, 0));
    }
  }
  void take_key_gradients(Compute& on, const Call& call, Matrix dx) const {
    for (std::int32_t sample = 0; sample < dx.rows / call.pass.positions; ++sample) {
      const Rows<float> kept =
          cache_of(call, sample).from(call.pass.first_position, 2 * width_);
      copy(on, call.pass.positions, 2 * width_, constant(kept),
           sample_of(dx, call.pass, sample).from(0, width_));
    }
  }

  void probabilities(Compute& on, const Block& block, Rows<const float> queries,
                     Rows<const float> keys, float* scores) const {
    matmul_batch(on, heads_, Transpose::No, heads_of(queries, block.queries),
                 Transpose::Yes, heads_of(keys, block.keys), 0, block.of(scores));
    softmax_rows(on, block, scale(), scores);
  }

  /// dV (+)= P^T dY;  dP = dY V^T;  dS = softmax'(dP);  dQ = dS K;  dK (+)= dS^T Q.
  void block_gradient(Compute& on, const Block& block, Rows<const float> queries,
                      Rows<const float> keys, Rows<const float> dout,
                      const float* probability, float* scratch, Rows<float> dqueries,
                      Rows<float> dkeys, float beta) const {
    const ConstMatrixBatch gradient = heads_of(dout, block.queries);
    matmul_batch(on, heads_, Transpose::Yes, block.of(probability), Transpose::No,
                 gradient, beta, heads_of(dkeys.from(0, width_), block.keys));
    matmul_batch(on, heads_, Transpose::No, gradient, Transpose::Yes,
                 heads_of(keys.from(0, width_), block.keys), 0, block.of(scratch));
    softmax_gradient_rows(on, block, scale(), probability, scratch);
    const ConstMatrixBatch by_score = block.of<const float>(scratch);
    matmul_batch(on, heads_, Transpose::No, by_score, Transpose::No,
                 heads_of(keys, block.keys), 0, heads_of(dqueries, block.queries));
    matmul_batch(on, heads_, Transpose::Yes, by_score, Transpose::No,
                 heads_of(queries, block.queries), beta, heads_of(dkeys, block.keys));
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
