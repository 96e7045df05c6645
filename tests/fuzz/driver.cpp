// Runs a fuzz entry over a corpus folder, and over seeded changes of its files: usage FOLDER [SECONDS].
// Without a fuzzing engine this is an ordinary test; it finds again what was found once, and a little more.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

void run(const Bytes& input) {
  // A copy of its own, so that a read behind the end is seen by the address sanitizer.
  const Bytes exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

std::vector<Bytes> read_corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file()) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Bytes> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

class Changer {
 public:
  explicit Changer(const std::vector<Bytes>& corpus) : corpus_(corpus) {}

  Bytes next() {
    Bytes bytes = corpus_[below(corpus_.size())];
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void change(Bytes& bytes) {
    static constexpr std::uint8_t kSpecial[] = {0, 0xff, 0x7f, 0x80, '\n', ' ', ':', '-', '(', ')', '0', '9', '='};
    const std::size_t at = below(bytes.size());
    const std::size_t length = std::min(bytes.size() - at, 1 + below(16));
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(6)) {
      case 0: bytes.resize(at); break;
      case 1: bytes.erase(begin, begin + static_cast<std::ptrdiff_t>(length)); break;
      case 2: bytes.insert(begin, 1 + below(8), kSpecial[below(std::size(kSpecial))]); break;
      case 3: {
        const Bytes piece(begin, begin + static_cast<std::ptrdiff_t>(length));
        bytes.insert(bytes.end(), piece.begin(), piece.end());
        break;
      }
      case 4:
        if (!bytes.empty()) bytes[at] ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      default:
        if (!bytes.empty()) bytes[at] = kSpecial[below(std::size(kSpecial))];
    }
  }

  const std::vector<Bytes>& corpus_;
  std::mt19937_64 random_{20260101};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " CORPUS_FOLDER [SECONDS]\n";
    return 2;
  }
  const std::vector<Bytes> corpus = read_corpus(argv[1]);
  if (corpus.empty()) {
    std::cerr << argv[1] << " has no files\n";
    return 1;
  }
  std::size_t runs = 0;
  for (const Bytes& whole : corpus) {
    // Every truncation of a small file; of a large one those near both ends.
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      if (whole.size() > 4096 && size == 2048) size = whole.size() - 2048;
      run(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
      ++runs;
    }
  }
  const auto seconds = std::chrono::duration<double>(argc > 2 ? std::atof(argv[2]) : 1.0);
  const auto end = std::chrono::steady_clock::now() + seconds;
  Changer changer(corpus);
  while (std::chrono::steady_clock::now() < end) {
    run(changer.next());
    ++runs;
  }
  std::cout << runs << " inputs\n";
  return 0;
}
