#include "tests/lab/standin/cuda/nccl_kernel.h"

#include <cxxabi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/lab/standin/cuda/control.h"
#include "tests/lab/standin/cuda/nccl_image.h"
#include "tests/lab/standin/cuda/nccl_work.h"
#include "tests/lab/standin/cuda/rendezvous.h"

namespace hangstack::standin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kCollectiveKey = 1;
constexpr uint64_t kTransferKey = 2;

/// Where this process waits for its peers.
struct Appointment {
  uint64_t key = 0;
  Side side = Side::kFirst;
  uint32_t first_needed = 0;
  uint32_t second_needed = 0;
};

/// How many operations of each kind this process has launched: the rank that launches its third all-reduce meets those
/// that launch their third.
struct Counts {
  std::mutex mutex;
  uint64_t kernels = 0;
  std::map<uint64_t, uint64_t> collectives;                            ///< by communicator
  std::map<std::pair<uint64_t, std::pair<int, int>>, uint64_t> pairs;  ///< by communicator, sender and receiver
};

Counts& counts() {
  static Counts* const kCounts = new Counts;
  return *kCounts;
}

std::string readable_name(const std::string& mangled) {
  char* plain = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr);
  std::string name = plain ? plain : mangled;
  std::free(plain);
  return name.substr(0, name.find('('));
}

std::string hexadecimal(uint64_t value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

class NcclKernel : public Operation {
 public:
  NcclKernel(std::string name, Communicator communicator, Work work);
  bool advance() override;

 private:
  void make_appointments();
  bool peers_are_there() const;
  void log(const char* event) const { log_line(std::string(event) + title_); }

  std::string name_;
  Communicator communicator_;
  Work work_;
  uint64_t number_ = 0;    ///< of this process, from 1
  uint64_t sequence_ = 0;  ///< of the collectives on this communicator, from 1
  std::string title_;
  std::vector<Appointment> appointments_;
  bool started_ = false;
  Clock::time_point met_{};
};

NcclKernel::NcclKernel(std::string name, Communicator communicator, Work work)
    : name_(std::move(name)), communicator_(communicator), work_(std::move(work)) {
  const std::lock_guard lock(counts().mutex);
  number_ = ++counts().kernels;
  if (!work_.collectives.empty()) sequence_ = ++counts().collectives[communicator_.hash];
  make_appointments();
  title_ = " number=" + std::to_string(number_) + " comm=" + hexadecimal(communicator_.hash) +
           " rank=" + std::to_string(communicator_.rank) + "/" + std::to_string(communicator_.ranks) +
           " sequence=" + std::to_string(sequence_) + " kernel=" + name_;
  for (const Collective& each : work_.collectives) title_ += " elements=" + std::to_string(each.elements);
  for (const Transfer& each : work_.transfers) {
    title_ += " transfer=" + std::to_string(each.sender) + ">" + std::to_string(each.receiver) + ":" +
              std::to_string(each.bytes);
  }
  log("launch");
}

void NcclKernel::make_appointments() {
  if (!work_.collectives.empty() || work_.transfers.empty()) {
    uint64_t key = mix(mix(kCollectiveKey, communicator_.hash), sequence_);
    for (const char letter : name_) key = mix(key, static_cast<uint64_t>(letter));
    for (const Collective& each : work_.collectives) {
      for (const uint64_t part : {uint64_t{each.function}, uint64_t{each.root}, uint64_t{each.first_channel},
                                  uint64_t{each.last_channel}, each.elements}) {
        key = mix(key, part);
      }
    }
    appointments_.push_back({key, Side::kFirst, static_cast<uint32_t>(communicator_.ranks), 0});
  }
  for (const Transfer& each : work_.transfers) {
    const bool sends = each.sender == communicator_.rank;
    const bool to_itself = each.sender == each.receiver;
    if (to_itself) continue;
    const uint64_t turn = ++counts().pairs[{communicator_.hash, {each.sender, each.receiver}}];
    uint64_t key = mix(mix(kTransferKey, communicator_.hash), turn);
    key = mix(mix(key, static_cast<uint64_t>(each.sender)), static_cast<uint64_t>(each.receiver));
    appointments_.push_back({key, sends ? Side::kFirst : Side::kSecond, 1, 1});
  }
}

bool NcclKernel::peers_are_there() const {
  for (const Appointment& each : appointments_) {
    const Meeting met = meeting(each.key);
    if (met.first < each.first_needed || met.second < each.second_needed) return false;
  }
  return true;
}

bool NcclKernel::advance() {
  if (!control().ignore_abort && communicator_.abort_flag && *communicator_.abort_flag != 0) {
    log("aborted");
    return true;
  }
  if (number_ == control().lost) return false;
  if (!started_) {
    started_ = true;
    log("start");
    for (const Appointment& each : appointments_) arrive(each.key, each.side);
  }
  if (number_ == control().stuck || !peers_are_there()) return false;
  if (met_ == Clock::time_point{}) met_ = Clock::now();
  if (Clock::now() - met_ < std::chrono::milliseconds(control().slow_ms)) return false;
  log("finish");
  return true;
}

}  // namespace

std::unique_ptr<Operation> nccl_kernel(const void* function, const Arguments& arguments) {
  const NcclImage* image = nccl_image();
  const ImageSymbol* symbol = image ? image->function_at(reinterpret_cast<uintptr_t>(function)) : nullptr;
  if (!symbol) return nullptr;
  std::string name = readable_name(symbol->name);
  if (!name.starts_with("ncclDevKernel_")) return nullptr;
  const auto communicator = communicator_in(arguments);
  if (!communicator) {
    log_line("unknown communicator kernel=" + name);
    return nullptr;
  }
  if (!have_table()) return nullptr;
  return std::make_unique<NcclKernel>(std::move(name), *communicator, work_in(arguments, communicator->rank));
}

}  // namespace hangstack::standin
