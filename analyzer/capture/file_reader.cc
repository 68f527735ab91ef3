// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/file_reader.h"

namespace weft::analyzer {

void FileReader::StopAtEnd(uint64_t offset, std::string what_is_cut) {
  const absl::Status status = buffer_.source().status();
  if (!status.ok()) {
    std::string what(status.message());
    if (!what_is_cut.empty()) what += "; " + what_is_cut;
    return Stop(offset, std::move(what));
  }
  if (!what_is_cut.empty()) return Stop(offset, std::move(what_is_cut));
  is_finished_ = true;
}

}  // namespace weft::analyzer
