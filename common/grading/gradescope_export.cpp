#include "grading/gradescope_export.hpp"

#include <yaml.h>

#include "grading/dates.hpp"

namespace pipeline {
namespace {

/// A YAML document as libyaml reads it: aliases stay references, so that no text can
/// grow to a document of another size.
class Document {
 public:
  explicit Document(std::string_view text) {
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) return;
    yaml_parser_set_input_string(
        &parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    good_ = yaml_parser_load(&parser, &document_) != 0;
    yaml_parser_delete(&parser);
  }
  ~Document() {
    if (good_) yaml_document_delete(&document_);
  }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const yaml_node_t* root() {
    return good_ ? yaml_document_get_root_node(&document_) : nullptr;
  }

  /// Calls `visit(key, value)` for each pair of a mapping.
  template <typename Visit>
  void for_each_pair(const yaml_node_t& mapping, const Visit& visit) {
    for (const yaml_node_pair_t* pair = mapping.data.mapping.pairs.start;
         pair < mapping.data.mapping.pairs.top; ++pair) {
      const yaml_node_t* key = yaml_document_get_node(&document_, pair->key);
      const yaml_node_t* value = yaml_document_get_node(&document_, pair->value);
      if (key != nullptr && value != nullptr) visit(text_of(*key), *value);
    }
  }
  template <typename Visit>
  void for_each_item(const yaml_node_t& sequence, const Visit& visit) {
    for (const yaml_node_item_t* item = sequence.data.sequence.items.start;
         item < sequence.data.sequence.items.top; ++item) {
      const yaml_node_t* value = yaml_document_get_node(&document_, *item);
      if (value != nullptr) visit(*value);
    }
  }

  static std::string text_of(const yaml_node_t& node) {
    if (node.type != YAML_SCALAR_NODE) return {};
    const auto* text = reinterpret_cast<const char*>(node.data.scalar.value);
    return {text, node.data.scalar.length};
  }

 private:
  yaml_document_t document_ = {};
  bool good_ = false;
};

Submitter read_submitter(Document& document, const yaml_node_t& node) {
  Submitter submitter;
  if (node.type != YAML_MAPPING_NODE) return submitter;
  document.for_each_pair(node, [&](const std::string& key, const yaml_node_t& value) {
    if (key == ":name") submitter.name = Document::text_of(value);
    if (key == ":sid") submitter.sid = Document::text_of(value);
    if (key == ":email") submitter.email = Document::text_of(value);
  });
  return submitter;
}

ExportedSubmission read_submission(Document& document, const yaml_node_t& node) {
  ExportedSubmission submission;
  document.for_each_pair(node, [&](const std::string& key, const yaml_node_t& value) {
    if (key == ":created_at") submission.when = parse_time(Document::text_of(value));
    if (key == ":submitters" && value.type == YAML_SEQUENCE_NODE) {
      document.for_each_item(value, [&](const yaml_node_t& each) {
        submission.submitters.push_back(read_submitter(document, each));
      });
    }
  });
  return submission;
}

}  // namespace

Expected<std::map<std::string, ExportedSubmission>> parse_gradescope_metadata(
    std::string_view yaml) {
  Document document(yaml);
  const yaml_node_t* root = document.root();
  if (root == nullptr || root->type != YAML_MAPPING_NODE) {
    return refuse("submission_metadata.yml is not what Gradescope exports",
                  "Download the submissions again, or take that file away.");
  }
  std::map<std::string, ExportedSubmission> result;
  document.for_each_pair(*root, [&](const std::string& key, const yaml_node_t& value) {
    if (value.type == YAML_MAPPING_NODE) result[key] = read_submission(document, value);
  });
  return result;
}

}  // namespace pipeline
