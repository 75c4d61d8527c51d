// Tested by tests/client/stream_facts_test.cc.
// What a stream says of itself.
#include "client/stream/file_stream.h"

namespace nfs {

StreamFacts FileStream::facts() const {
  StreamFacts facts;
  meter_.Describe(session_.trunk(), facts);
  const Options& options = session_.options();
  facts.bytes = window_.next_offset() - begin_;
  facts.reads = counters().reads;
  facts.short_reads = counters().short_reads;
  facts.jukebox_retries = counters().jukebox_retries;
  facts.slots = options.slots;
  facts.rsize = window_.chunk_bytes();
  facts.window = window_bytes();
  facts.largest_window = largest_window_;
  facts.readahead_is_automatic = !options.readahead.has_value();
  facts.nconnect_is_automatic = !options.nconnect.has_value();
  return facts;
}

}  // namespace nfs
