// The layers of a transformer in double, each as the formula is written.
#include "layers/sequence_reference.hpp"

#include <algorithm>
#include <cmath>

namespace pipeline {

namespace {

std::size_t size_of(std::int32_t rows, std::int32_t columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

DoubleMatrix matrix_of(std::span<const double> values, std::int32_t rows,
                       std::int32_t columns) {
  DoubleMatrix m(rows, columns);
  std::copy_n(values.begin(), m.values.size(), m.values.begin());
  return m;
}

class ReferenceEmbedding : public ReferenceLayer {
 public:
  ReferenceEmbedding(std::int32_t vocabulary, std::int32_t positions,
                     std::int32_t width)
      : vocabulary_(vocabulary), positions_(positions), width_(width) {}

  std::vector<std::size_t> tensors() const override {
    return {size_of(vocabulary_, width_), size_of(positions_, width_)};
  }
  DoubleMatrix forward(const Pass& pass, std::span<const double> parameters,
                       const DoubleMatrix& x) const override {
    DoubleMatrix y(x.rows, width_);
    for (std::int32_t i = 0; i < x.rows; ++i) {
      for (std::int32_t j = 0; j < width_; ++j) {
        y.at(i, j) = parameters[token(x, i) + static_cast<std::size_t>(j)] +
                     parameters[place(pass, i) + static_cast<std::size_t>(j)];
      }
    }
    return y;
  }
  DoubleMatrix input_gradient(const Pass&, std::span<const double>,
                              const DoubleMatrix& x,
                              const DoubleMatrix&) const override {
    return {x.rows, 1};
  }
  std::vector<double> weight_gradient(const Pass& pass, const DoubleMatrix& x,
                                      const DoubleMatrix& dy) const override {
    std::vector<double> gradients(parameter_count());
    for (std::int32_t i = 0; i < x.rows; ++i) {
      for (std::int32_t j = 0; j < width_; ++j) {
        gradients[token(x, i) + static_cast<std::size_t>(j)] += dy.at(i, j);
        gradients[place(pass, i) + static_cast<std::size_t>(j)] += dy.at(i, j);
      }
    }
    return gradients;
  }

 private:
  /// Where the token of a row begins among the parameters; a little more than a whole
  /// number is that number.
  std::size_t token(const DoubleMatrix& x, std::int32_t row) const {
    return size_of(static_cast<std::int32_t>(std::lround(x.at(row, 0))), width_);
  }
  std::size_t place(const Pass& pass, std::int32_t row) const {
    const std::int32_t position = pass.first_position + row % pass.positions;
    return size_of(vocabulary_ + position, width_);
  }
  std::int32_t vocabulary_;
  std::int32_t positions_;
  std::int32_t width_;
};

class ReferenceUnembedding : public ReferenceLayer {
 public:
  ReferenceUnembedding(std::int32_t width, std::int32_t vocabulary)
      : width_(width), vocabulary_(vocabulary) {}

  std::vector<std::size_t> tensors() const override {
    return {size_of(vocabulary_, width_)};
  }
  DoubleMatrix forward(const Pass&, std::span<const double> parameters,
                       const DoubleMatrix& x) const override {
    return reference_product(false, x, true,
                             matrix_of(parameters, vocabulary_, width_));
  }
  DoubleMatrix input_gradient(const Pass&, std::span<const double> parameters,
                              const DoubleMatrix&,
                              const DoubleMatrix& dy) const override {
    return reference_product(false, dy, false,
                             matrix_of(parameters, vocabulary_, width_));
  }
  std::vector<double> weight_gradient(const Pass&, const DoubleMatrix& x,
                                      const DoubleMatrix& dy) const override {
    return reference_product(true, dy, false, x).values;
  }

 private:
  std::int32_t width_;
  std::int32_t vocabulary_;
};

class ReferenceLayerNorm : public ReferenceLayer {
 public:
  explicit ReferenceLayerNorm(std::int32_t width) : width_(width) {}

  std::vector<std::size_t> tensors() const override {
    return {size_of(1, width_), size_of(1, width_)};
  }
  DoubleMatrix forward(const Pass&, std::span<const double> parameters,
                       const DoubleMatrix& x) const override {
    DoubleMatrix y = normalised(x);
    for (std::int32_t i = 0; i < x.rows; ++i) {
      for (std::int32_t j = 0; j < width_; ++j) {
        const auto column = static_cast<std::size_t>(j);
        y.at(i, j) = y.at(i, j) * parameters[column] +
                     parameters[column + static_cast<std::size_t>(width_)];
      }
    }
    return y;
  }
  DoubleMatrix input_gradient(const Pass&, std::span<const double> parameters,
                              const DoubleMatrix& x,
                              const DoubleMatrix& dy) const override {
    const DoubleMatrix n = normalised(x);
    DoubleMatrix dx(x.rows, width_);
    for (std::int32_t i = 0; i < x.rows; ++i) {
      double sum = 0;
      double product = 0;
      for (std::int32_t j = 0; j < width_; ++j) {
        const double g = parameters[static_cast<std::size_t>(j)] * dy.at(i, j);
        sum += g;
        product += g * n.at(i, j);
      }
      for (std::int32_t j = 0; j < width_; ++j) {
        const double g = parameters[static_cast<std::size_t>(j)] * dy.at(i, j);
        dx.at(i, j) = factor(x, i) * (g - sum / width_ - n.at(i, j) * product / width_);
      }
    }
    return dx;
  }
  std::vector<double> weight_gradient(const Pass&, const DoubleMatrix& x,
                                      const DoubleMatrix& dy) const override {
    const DoubleMatrix n = normalised(x);
    std::vector<double> gradients(parameter_count());
    for (std::int32_t i = 0; i < x.rows; ++i) {
      for (std::int32_t j = 0; j < width_; ++j) {
        const auto column = static_cast<std::size_t>(j);
        gradients[column] += dy.at(i, j) * n.at(i, j);
        gradients[column + static_cast<std::size_t>(width_)] += dy.at(i, j);
      }
    }
    return gradients;
  }

 private:
  double mean(const DoubleMatrix& x, std::int32_t row) const {
    double sum = 0;
    for (std::int32_t j = 0; j < width_; ++j) sum += x.at(row, j);
    return sum / width_;
  }
  double factor(const DoubleMatrix& x, std::int32_t row) const {
    const double middle = mean(x, row);
    double squares = 0;
    for (std::int32_t j = 0; j < width_; ++j) {
      squares += (x.at(row, j) - middle) * (x.at(row, j) - middle);
    }
    return 1 / std::sqrt(squares / width_ + 1e-5);
  }
  DoubleMatrix normalised(const DoubleMatrix& x) const {
    DoubleMatrix n = x;
    for (std::int32_t i = 0; i < x.rows; ++i) {
      const double middle = mean(x, i);
      const double by = factor(x, i);
      for (std::int32_t j = 0; j < width_; ++j) n.at(i, j) = (x.at(i, j) - middle) * by;
    }
    return n;
  }
  std::int32_t width_;
};

/// One head of one sample at a time, query by query.
class ReferenceCausalAttention : public ReferenceLayer {
 public:
  ReferenceCausalAttention(std::int32_t width, std::int32_t heads)
      : width_(width), heads_(heads) {}

  DoubleMatrix forward(const Pass& pass, std::span<const double>,
                       const DoubleMatrix& x) const override {
    DoubleMatrix y(x.rows, width_);
    for_each_query(pass, x, [&](const Query& q, const std::vector<double>& shares) {
      for (std::size_t s = 0; s < shares.size(); ++s) {
        for (std::int32_t j = q.column; j < q.column + width_ / heads_; ++j) {
          y.at(q.row, j) += shares[s] * x.at(q.key_row(s), 2 * width_ + j);
        }
      }
    });
    return y;
  }
  DoubleMatrix input_gradient(const Pass& pass, std::span<const double>,
                              const DoubleMatrix& x,
                              const DoubleMatrix& dy) const override {
    DoubleMatrix dx(x.rows, 3 * width_);
    for_each_query(pass, x, [&](const Query& q, const std::vector<double>& shares) {
      // By share, and their average, weighted by the shares.
      std::vector<double> by_share(shares.size());
      double average = 0;
      for (std::size_t s = 0; s < shares.size(); ++s) {
        for (std::int32_t j = q.column; j < q.column + width_ / heads_; ++j) {
          by_share[s] += dy.at(q.row, j) * x.at(q.key_row(s), 2 * width_ + j);
          dx.at(q.key_row(s), 2 * width_ + j) += shares[s] * dy.at(q.row, j);
        }
        average += shares[s] * by_share[s];
      }
      for (std::size_t s = 0; s < shares.size(); ++s) {
        const double by_score = shares[s] * (by_share[s] - average) * scale();
        for (std::int32_t j = q.column; j < q.column + width_ / heads_; ++j) {
          dx.at(q.row, j) += by_score * x.at(q.key_row(s), width_ + j);
          dx.at(q.key_row(s), width_ + j) += by_score * x.at(q.row, j);
        }
      }
    });
    return dx;
  }

 private:
  struct Query {
    std::int32_t row = 0;     ///< of x
    std::int32_t first = 0;   ///< row of its sample's first position
    std::int32_t column = 0;  ///< where its head begins

    std::int32_t key_row(std::size_t key) const {
      return first + static_cast<std::int32_t>(key);
    }
  };

  double scale() const { return 1 / std::sqrt(width_ / heads_); }

  /// work(query, its share in each key up to its own).
  template <typename Work>
  void for_each_query(const Pass& pass, const DoubleMatrix& x, const Work& work) const {
    for (std::int32_t row = 0; row < x.rows; ++row) {
      for (std::int32_t head = 0; head < heads_; ++head) {
        const Query q{row, row - row % pass.positions, head * (width_ / heads_)};
        work(q, shares_of(q, x));
      }
    }
  }
  std::vector<double> shares_of(const Query& q, const DoubleMatrix& x) const {
    std::vector<double> shares;
    for (std::int32_t key = q.first; key <= q.row; ++key) {
      double score = 0;
      for (std::int32_t j = q.column; j < q.column + width_ / heads_; ++j) {
        score += x.at(q.row, j) * x.at(key, width_ + j);
      }
      shares.push_back(score * scale());
    }
    const double largest = *std::max_element(shares.begin(), shares.end());
    double sum = 0;
    for (double& share : shares) sum += share = std::exp(share - largest);
    for (double& share : shares) share /= sum;
    return shares;
  }

  std::int32_t width_;
  std::int32_t heads_;
};

}  // namespace

std::unique_ptr<ReferenceLayer> reference_embedding(std::int32_t vocabulary,
                                                    std::int32_t positions,
                                                    std::int32_t width) {
  return std::make_unique<ReferenceEmbedding>(vocabulary, positions, width);
}
std::unique_ptr<ReferenceLayer> reference_unembedding(std::int32_t width,
                                                      std::int32_t vocabulary) {
  return std::make_unique<ReferenceUnembedding>(width, vocabulary);
}
std::unique_ptr<ReferenceLayer> reference_layer_norm(std::int32_t width) {
  return std::make_unique<ReferenceLayerNorm>(width);
}
std::unique_ptr<ReferenceLayer> reference_causal_attention(std::int32_t width,
                                                           std::int32_t heads) {
  return std::make_unique<ReferenceCausalAttention>(width, heads);
}

}  // namespace pipeline
