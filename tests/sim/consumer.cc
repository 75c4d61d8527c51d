// Tested by tests/sim/world_test.cc.
#include "tests/sim/consumer.h"

#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/errors.h"
#include "tests/sim/abandoned.h"
#include "tests/sim/opening.h"
#include "tests/sim/watched_transport.h"

namespace sim {

namespace {

// Nobody needs more connects to one address and port in a second than this for each
// connection that may be looking for it (one is of MOUNT or the port mapper), and one for
// every connection that the server ended.
constexpr uint64_t kMostConnects = 10;

// The output that bytes are diverted to, and all that comes of a READ reply before them.
constexpr int kPipe = 1;
constexpr size_t kReadHeaderBytes = 132;

// FNV-1a over some of the bytes: that they stay as they were while they are lent.
uint64_t Checksum(std::span<const std::byte> bytes) {
  uint64_t sum = 0xcbf29ce484222325;
  for (size_t i = 0; i < bytes.size(); i += bytes.size() / 64 + 1) {
    sum = (sum ^ static_cast<uint64_t>(bytes[i])) * 0x100000001b3;
  }
  return sum;
}

}  // namespace

Consumer::Consumer(const Plan& plan, Site& site, Ledger& ledger, Truth& truth, Timeline& timeline)
    : plan_(plan), site_(site), ledger_(ledger), truth_(truth), timeline_(timeline) {}

Consumer::~Consumer() = default;

void Consumer::Violate(const std::string& what) {
  timeline_.Add(site_.now(), "  ! ", what);
  if (violation_.empty()) violation_ = what;
}

void Consumer::Run() {
  status_ = Open();
  opened_ = site_.now();
  truth_.OnOpened();
  if (status_.ok()) status_ = BeginStream(plan_.client.range);
  if (status_.ok()) Stream();
  timeline_.Add(site_.now(), "end: ", StatusText());
  CloseAll();
}

std::string Consumer::StatusText() const {
  return absl::StrCat("exit ", static_cast<int>(nfs::KindOf(status_)), ": ", status_.message());
}

// --- Opening ---------------------------------------------------------------

std::unique_ptr<io::Transport> Consumer::MakeTransport() {
  auto transport = std::make_unique<WatchedTransport>(
      site_.network(), [this](const io::Address& address) { OnConnect(address); },
      [this](const std::string& what) { Violate(what); });
  using Trouble = io::SimulatedTransport::Trouble;
  transport->SetTroubleHandler([this](Trouble trouble, absl::string_view text) {
    Violate(std::string(text));
    // Not a second time, while the first one takes the world down.
    if (trouble == Trouble::kMemoryTouched || std::uncaught_exceptions() != 0) return;
    throw Abandoned{std::string(text)};
  });
  transport_ = transport.get();
  return transport;
}

void Consumer::OnConnect(const io::Address& address) {
  timeline_.Add(site_.now(), "connect to ", address.ToString());
  ++connects_;
  const int64_t second = absl::ToUnixSeconds(site_.now());
  auto& [last, count] = connects_per_second_[address.ToString()];
  if (std::exchange(last, second) != second) count = 0;
  const auto connections = 1 + static_cast<uint64_t>(plan_.client.nconnect);
  uint64_t most = kMostConnects * connections + ledger_.count(FaultKind::kSeek);
  for (FaultKind kind : {FaultKind::kReset, FaultKind::kFin, FaultKind::kRefuse}) {
    most += ledger_.count(kind);
  }
  if (++count > most) Violate(absl::StrCat("a storm of connects to ", address.ToString()));
}

absl::Status Consumer::Open() {
  const auto announce = [this](absl::string_view text) { timeline_.Add(site_.now(), text); };
  auto session = OpenSession(MakeTransport(), plan_, site_, OptionsOf(plan_, announce));
  if (!session.ok()) return session.status();
  session_ = *std::move(session);
  timeline_.Add(site_.now(), "open, file of ", session_->file().attributes.size, " bytes");
  return absl::OkStatus();
}

absl::Status Consumer::BeginStream(const nfs::Range& range) {
  const uint64_t lent_bytes = uint64_t{plan_.client.lent_chunks} * plan_.chunk_bytes();
  auto stream = nfs::FileStream::Make(*session_, range, lent_bytes);
  if (!stream.ok()) return stream.status();
  stream_ = *std::move(stream);
  if (plan_.consumer.diverts) {
    transport_->output(kPipe).is_pipe = true;
    transport_->output(kPipe).max_write = plan_.consumer.diverts_at_most;
    session_->connection().set_receive_ahead(kReadHeaderBytes);
    stream_->DivertFrom(1);
  }
  truth_.BeginRun(range);
  file_.Begin(range.offset);
  is_over_ = false;
  return absl::OkStatus();
}

// --- Streaming -------------------------------------------------------------

void Consumer::Stream() {
  const uint64_t most = plan_.consumer.stops_after.value_or(UINT64_MAX);
  while (status_.ok() && steps_ < most && violation_.empty()) {
    if (SeekIfDue()) continue;
    if (stream_->AtEnd() || !stream_->status().ok()) break;
    Step();
  }
  while (!lent_.empty()) ReleaseOne();
  while (!stream_->AtEnd() && steps_ < most && TakePiece()) ReleaseOne();
  const bool stopped = steps_ >= most;
  if (stopped) ledger_.Inject(FaultKind::kStopEarly);
  status_ = stream_->status();
  end_ = !status_.ok() ? End::kError : stopped ? End::kStopped : End::kAllBytes;
  EndStream(end_ == End::kAllBytes);
}

void Consumer::Step() {
  ++steps_;
  if (!KeepsPieces() && !TakePiece()) {
    ReleaseUnlessMoreComes();
    // What was too little as long as it held something is enough now.
    if (plan_.consumer.takes_any && lent_.empty() && TakePiece()) return CheckCounts();
    if (stream_->arrival() == nfs::FileStream::Arrival::kBehind && pieces_ % 2 == 0) {
      while (!lent_.empty()) ReleaseOne();
    }
    Turn(/*waits=*/lent_.empty(), absl::InfiniteFuture());
  }
  CheckCounts();
}

// Now and then it turns the stream with all pieces in its hands until every call is
// answered, before it gives one back: that is when READs could go to memory that they lie in.
bool Consumer::KeepsPieces() {
  size_t bytes = 0;
  for (const Piece& piece : lent_) bytes += piece.bytes.size();
  if (bytes <= (plan_.client.lent_chunks - 1) * plan_.chunk_bytes()) return false;
  if (CallsInFlight() != 0 && pieces_ % 3 == 0) {
    Turn(/*waits=*/false, absl::InfiniteFuture());
    return true;
  }
  ReleaseOne();
  return false;
}

// Without readahead nothing is asked for as long as something is lent.
void Consumer::ReleaseUnlessMoreComes() {
  while (!lent_.empty() && CallsInFlight() == 0) ReleaseOne();
}

void Consumer::Turn(bool waits, absl::Time until) {
  Decide();
  stream_->Turn(waits, until);
  TakeDiverted();
}

// Some are diverted, some kept, and some kept after a part has been diverted.
void Consumer::Decide() {
  using Arrival = nfs::FileStream::Arrival;
  const Arrival arrival = stream_->arrival();
  if (arrival == Arrival::kNone) return;
  const uint64_t choice = ++decisions_ % 7;
  if (arrival == Arrival::kBehind || choice == 0) return stream_->KeepArrival();
  if (!stream_->is_diverting()) stream_->Divert(kPipe);
}

void Consumer::TakeDiverted() {
  std::vector<std::byte>& bytes = transport_->output(kPipe).bytes;
  if (bytes.empty()) return;
  timeline_.Add(site_.now(), "  diverted ", bytes.size(), " bytes before ", stream_->position());
  Deliver(bytes);
  bytes.clear();
}

bool Consumer::TakePiece() {
  const std::optional<Piece> piece = plan_.consumer.takes_any ? LendAny() : LendNext();
  if (!piece.has_value()) return false;
  ++pieces_;
  lent_.push_back(*piece);
  if (plan_.consumer.pause_every != 0 && pieces_ % plan_.consumer.pause_every == 0) Pause();
  return true;
}

std::optional<Consumer::Piece> Consumer::LendNext() {
  const uint64_t offset = stream_->position();
  const std::optional<std::span<const std::byte>> bytes = stream_->Lend();
  if (!bytes.has_value()) return std::nullopt;
  timeline_.Add(site_.now(), "  took ", bytes->size(), " bytes at ", offset);
  Deliver(*bytes);
  return Piece{*bytes, Checksum(*bytes)};
}

// What is delivered is what is whole of it from the beginning on.
std::optional<Consumer::Piece> Consumer::LendAny() {
  const size_t at_least = lent_.empty() || pieces_ % 2 == 0 ? 1 : 2 * plan_.chunk_bytes();
  const auto piece = stream_->LendAny(at_least);
  if (!piece.has_value()) return std::nullopt;
  const auto& [chunk, offset, bytes] = *piece;
  timeline_.Add(site_.now(), "  took ", bytes.size(), " bytes from anywhere at ", offset);
  const std::string wrong = file_.Put(offset, bytes);
  if (!wrong.empty()) Violate(wrong);
  for (auto next = file_.TakeNext(); !next.empty(); next = file_.TakeNext()) Deliver(next);
  return Piece{bytes, Checksum(bytes), chunk};
}

void Consumer::Deliver(std::span<const std::byte> bytes) {
  const std::string wrong = truth_.OnDelivered(bytes);
  if (!wrong.empty()) Violate(wrong);
}

// The oldest, or any where the order is free.
void Consumer::ReleaseOne() {
  const size_t index = plan_.consumer.takes_any ? pieces_ % lent_.size() : 0;
  const Piece piece = lent_[index];
  if (Checksum(piece.bytes) != piece.checksum) Violate("bytes changed while they were lent");
  lent_.erase(lent_.begin() + static_cast<ptrdiff_t>(index));
  plan_.consumer.takes_any ? stream_->ReleaseAny(piece.chunk) : stream_->Release();
}

void Consumer::Pause() {
  ledger_.Inject(FaultKind::kSlowConsumer);
  ledger_.Spend(plan_.consumer.pause);
  const absl::Time until = site_.now() + plan_.consumer.pause;
  if (!plan_.consumer.turns_in_pauses) return SleepUntil(until);
  while (site_.now() < until && stream_->status().ok()) Turn(false, until);
}

void Consumer::SleepUntil(absl::Time time) {
  while (site_.network().RunNext(time)) {
  }
  site_.network().AdvanceTo(time);
}

bool Consumer::SeekIfDue() {
  if (next_seek_ == plan_.consumer.seeks.size()) return false;
  const ConsumerPlan::Seek& seek = plan_.consumer.seeks[next_seek_];
  if (steps_ < seek.after || !stream_->status().ok()) return false;
  ++next_seek_;
  steps_ = 0;
  Plan there = plan_;
  there.client.range = seek.range;
  const auto slots = plan_.all_slots();
  ledger_.Inject(FaultKind::kSeek, absl::Seconds(2) + 3 * plan_.round_trip(),
                 there.planned_reads() + slots + 4);
  timeline_.Add(site_.now(), "  seek to ", seek.range.offset);
  EndStream(stream_->AtEnd());
  status_ = BeginStream(seek.range);
  return status_.ok();
}

void Consumer::EndStream(bool complete) {
  is_over_ = true;
  const std::string wrong = judge_(complete && stream_->status().ok());
  if (!wrong.empty()) Violate(wrong);
  lent_.clear();
  stream_.reset();
}

// Not by the destructors: what they wait for they could not tell.
void Consumer::CloseAll() {
  is_over_ = true;
  stream_.reset();
  if (session_ != nullptr) session_->Close();
  session_.reset();
}

int Consumer::CallsInFlight() const { return session_->trunk().calls_in_flight(); }

void Consumer::CheckCounts() {
  const int in_flight = CallsInFlight();
  if (static_cast<uint64_t>(in_flight) > plan_.all_slots())
    Violate(absl::StrCat(in_flight, " calls are in flight"));
}

}  // namespace sim
