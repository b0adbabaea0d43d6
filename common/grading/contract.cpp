#include "grading/contract.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace pipeline {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// One blank for each run of blanks, none at the ends.
std::string trimmed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank) result += c;
    if (blank && !result.empty() && result.back() != ' ') result += ' ';
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

/// Without comments and preprocessor lines. Contracts hold no string literals.
std::string bare(std::string_view header) {
  std::string result;
  bool line_start = true;
  for (std::size_t i = 0; i < header.size();) {
    const std::string_view rest = header.substr(i);
    if (rest.starts_with("//") || (line_start && rest.starts_with("#"))) {
      i = std::min(header.find('\n', i), header.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t end = header.find("*/", i + 2);
      i = end == header.npos ? header.size() : end + 2;
    } else {
      if (header[i] == '\n') line_start = true;
      if (!std::isspace(static_cast<unsigned char>(header[i]))) line_start = false;
      result += header[i++];
    }
  }
  return result;
}

bool is_closed(const std::string& text) {
  return std::count(text.begin(), text.end(), '(') ==
         std::count(text.begin(), text.end(), ')');
}

/// What stands in namespace pipeline between two `;` or `}`, bodies left out: such as
/// "struct Link {}" and "Link link_of(const std::vector<TimedCopy>& copies)".
std::vector<std::string> declarations(std::string_view text) {
  std::vector<std::string> found;
  const std::string_view opening = "namespace pipeline {";
  const std::size_t begin = text.find(opening);
  if (begin == text.npos) return found;
  std::string current;
  int depth = 0;
  for (const char c : text.substr(begin + opening.size())) {
    if (c == '}' && depth == 0) break;
    if (c == '{' && ++depth == 1) current += "{}";
    const bool inside = depth > 0;
    if (c == '}') --depth;
    if (inside) {
      // The body of a function ends it; that of a struct is followed by `;`, and braces
      // between parentheses are a default.
      if (depth == 0 && current.find('(') != current.npos && is_closed(current))
        current.clear();
    } else if (c == ';') {
      found.push_back(trimmed(current));
      current.clear();
    } else {
      current += c;
    }
  }
  return found;
}

bool declares_a_function(const std::string& text) {
  for (const char* word : {"inline ", "struct ", "class ", "enum ", "using ",
                           "template", "constexpr ", "extern ", "static_assert"}) {
    if (text.starts_with(word)) return false;
  }
  return text.find('(') != text.npos;
}

/// The parts of a list, cut at commas that are in no brackets.
std::vector<std::string> parts(std::string_view list) {
  std::vector<std::string> found;
  std::string current;
  int depth = 0;
  for (const char c : list) {
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      found.push_back(trimmed(current));
      current.clear();
    } else {
      current += c;
    }
  }
  if (!trimmed(current).empty()) found.push_back(trimmed(current));
  return found;
}

/// The name that a parameter or a function's head ends with.
std::string last_name(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_name(text[begin - 1])) --begin;
  return std::string(text.substr(begin));
}

Expected<ContractFunction> parse_function(const std::string& text) {
  const std::size_t open = text.find('(');
  const std::string head = trimmed(std::string_view(text).substr(0, open));
  ContractFunction function;
  function.name = last_name(head);
  function.result =
      trimmed(std::string_view(head).substr(0, head.size() - function.name.size()));
  if (text.back() != ')' || function.name.empty() || function.result.empty()) {
    return refuse("this is no plain function: " + text,
                  "A contract declares functions from values to values.");
  }
  for (std::string& parameter :
       parts(std::string_view(text).substr(open + 1, text.size() - open - 2))) {
    parameter = trimmed(std::string_view(parameter).substr(0, parameter.find('=')));
    const std::string name = last_name(parameter);
    if (name.empty() || name.size() == parameter.size()) {
      return refuse("a parameter of " + function.name + " has no name: " + parameter,
                    "Name it: the proxy of the tests passes it on.");
    }
    function.parameters.push_back(parameter);
  }
  return function;
}

/// The function that the tests call: it asks a worker for its number `index`.
std::string proxy_of(const ContractFunction& function, std::size_t index) {
  std::string declared;
  std::string passed;
  for (const std::string& parameter : function.parameters) {
    declared += (declared.empty() ? "" : ", ") + parameter;
    passed += ", " + last_name(parameter);
  }
  return function.result + " " + function.name + "(" + declared +
         ") {\n  return call_remote<" + function.result + ">(" + std::to_string(index) +
         ", \"" + function.name + "\"" + passed + ");\n}\n";
}

}  // namespace

Expected<std::vector<ContractFunction>> parse_contract(std::string_view header) {
  std::vector<ContractFunction> contract;
  for (const std::string& text : declarations(bare(header))) {
    if (!declares_a_function(text)) continue;
    auto function = parse_function(text);
    if (!function) return tl::unexpected<Error>(function.error());
    const bool known =
        std::any_of(contract.begin(), contract.end(),
                    [&](const auto& other) { return other.name == function->name; });
    if (known) {
      return refuse("two functions are called " + function->name,
                    "Give each its own name: a call goes by it.");
    }
    contract.push_back(std::move(*function));
  }
  if (contract.empty()) {
    return refuse("the contract declares no function in namespace pipeline",
                  "Declare what the student is to write.");
  }
  return contract;
}

std::string proxy_source(const std::vector<ContractFunction>& contract) {
  std::string source =
      "// Written by the build from exercise.hpp: each function runs in a worker.\n"
      "#include \"exercise.hpp\"\n#include \"grading/remote.hpp\"\n\n"
      "namespace pipeline {\n\n";
  for (std::size_t i = 0; i < contract.size(); ++i) {
    source += proxy_of(contract[i], i);
  }
  return source + "\n}  // namespace pipeline\n";
}

std::string shim_source(const std::vector<ContractFunction>& contract) {
  std::string source =
      "// Written by the build from exercise.hpp: calls what the student wrote.\n"
      "#include \"exercise.hpp\"\n#include \"grading/serve.hpp\"\n\n"
      "int main() {\n  const pipeline::Served functions[] = {\n";
  for (const ContractFunction& function : contract)
    source += "      pipeline::served<&pipeline::" + function.name + ">,\n";
  return source + "  };\n  return pipeline::serve(functions);\n}\n";
}

}  // namespace pipeline
