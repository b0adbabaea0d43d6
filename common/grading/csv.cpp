#include "grading/csv.hpp"

#include <algorithm>
#include <utility>

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
  RowReader(std::string_view text, std::size_t at)
      : text_(text), separator_(separator_of(text.substr(at))), at_(at) {}

  bool done() const { return at_ == text_.size(); }

  Expected<std::vector<CsvCell>> row() {
    std::vector<CsvCell> row = {{"", at_, at_}};
    const std::size_t begun = line_;
    bool quoted = false;
    while (at_ < text_.size()) {
      CsvCell& cell = row.back();
      const char c = text_[at_++];
      if (c == '\n') ++line_;
      if (quoted) {
        if (c != '"') {
          cell.text += c;
        } else if (at_ < text_.size() && text_[at_] == '"') {
          cell.text += text_[at_++];
        } else {
          quoted = false;
        }
      } else if (c == separator_) {
        row.push_back({"", at_, at_});
        continue;
      } else if (c == '\n') {
        return row;
      } else if (c == '\r') {
        continue;
      } else if (c == '"' && cell.text.empty()) {
        quoted = true;
      } else {
        cell.text += c;
      }
      cell.end = at_;
    }
    if (!quoted) return row;
    return refuse("line " + std::to_string(begun) + " has a quote that is not closed",
                  "Export the table again, as CSV.");
  }

 private:
  std::string_view text_;
  char separator_;
  std::size_t at_;
  std::size_t line_ = 1;
};

}  // namespace

Expected<std::vector<std::vector<CsvCell>>> locate_csv(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  std::vector<std::vector<CsvCell>> rows;
  RowReader reader(text, text.starts_with(kMark) ? kMark.size() : 0);
  while (!reader.done()) {
    auto row = reader.row();
    if (!row) return tl::unexpected(row.error());
    if (row->size() > 1 || !row->front().text.empty()) rows.push_back(std::move(*row));
  }
  return rows;
}

Expected<std::vector<CsvRow>> parse_csv(std::string_view text) {
  auto located = locate_csv(text);
  if (!located) return tl::unexpected(located.error());
  std::vector<CsvRow> rows;
  for (auto& cells : *located) {
    CsvRow& row = rows.emplace_back();
    for (CsvCell& cell : cells) row.push_back(std::move(cell.text));
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
