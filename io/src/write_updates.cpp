#include "mangrove/io/write_updates.hpp"

#include "byte_reader.hpp"
#include "mangrove/core/error.hpp"
#include "output_file.hpp"
#include "text_writer.hpp"

namespace mangrove::io {

namespace {

const char* sign_of(update_kind kind) {
  switch (kind) {
    case update_kind::insert:
      return "+ ";
    case update_kind::erase:
      return "- ";
    case update_kind::insert_vertex:
      return "+v ";
    case update_kind::erase_vertex:
      return "-v ";
  }
  throw usage_error("write_updates: an update is of no known kind");
}

void append_update(std::string& text, const update_batch& updates, std::size_t i) {
  const update_kind kind = updates.kinds[i];
  text += sign_of(kind);
  detail::append_number(text, updates.sources[i]);
  if (kind == update_kind::insert || kind == update_kind::erase) {
    text += ' ';
    detail::append_number(text, updates.targets[i]);
  }
  if (kind == update_kind::insert && !updates.weights.empty()) {
    text += ' ';
    detail::append_number(text, updates.weights[i]);
  }
  text += '\n';
}

}  // namespace

void write_updates(const std::string& path, const update_batch& updates) {
  const std::size_t count = updates.size();
  const bool same = updates.sources.size() == count && updates.targets.size() == count &&
                    (updates.weights.empty() || updates.weights.size() == count);
  if (!same) throw usage_error("write_updates: the columns of the updates differ in length");
  const bool compress = detail::has_suffix(path, ".gz");
  detail::output_file file(path);
  detail::write_lines(file, "", count, compress ? detail::compression::gzip : detail::compression::none,
                      [&](std::string& text, std::size_t first, std::size_t last) {
                        for (std::size_t i = first; i < last; ++i) append_update(text, updates, i);
                      });
  file.commit();
}

}  // namespace mangrove::io
