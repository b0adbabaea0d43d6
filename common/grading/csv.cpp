#include "grading/csv.hpp"

#include <algorithm>

namespace pipeline {
namespace {

char separator_of(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  char best = ',';
  for (const char candidate : {';', '\t'}) {
    if (std::count(first.begin(), first.end(), candidate) >
        std::count(first.begin(), first.end(), best)) {
      best = candidate;
    }
  }
  return best;
}

/// Takes one row from the front of a text.
class RowReader {
 public:
  explicit RowReader(std::string_view text)
      : text_(text), separator_(separator_of(text)) {}

  bool done() const { return at_ == text_.size(); }

  Expected<CsvRow> row() {
    CsvRow row(1);
    const std::size_t begun = line_;
    bool quoted = false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '\n') ++line_;
      if (quoted) {
        if (c != '"') {
          row.back() += c;
        } else if (at_ < text_.size() && text_[at_] == '"') {
          row.back() += text_[at_++];
        } else {
          quoted = false;
        }
      } else if (c == '"' && row.back().empty()) {
        quoted = true;
      } else if (c == separator_) {
        row.emplace_back();
      } else if (c == '\n') {
        return row;
      } else if (c != '\r') {
        row.back() += c;
      }
    }
    if (!quoted) return row;
    return refuse("line " + std::to_string(begun) + " has a quote that is not closed",
                  "Export the table again, as CSV.");
  }

 private:
  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

Expected<std::vector<CsvRow>> parse_csv(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  std::vector<CsvRow> rows;
  RowReader reader(text);
  while (!reader.done()) {
    auto row = reader.row();
    if (!row) return tl::unexpected(row.error());
    if (row->size() > 1 || !row->front().empty()) rows.push_back(std::move(*row));
  }
  return rows;
}

std::string to_csv(const CsvRow& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    if (row[i].find_first_of(",\"\r\n") == std::string::npos) {
      line += row[i];
      continue;
    }
    line += '"';
    for (const char c : row[i]) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line + "\r\n";
}

}  // namespace pipeline
