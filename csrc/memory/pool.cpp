#include "memory/pool.hpp"

#include <cstdlib>
#include <iterator>
#include <mutex>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace fastgat {
namespace {

constexpr std::size_t kHeader = 64;  // before every piece: its size; keeps the alignment
constexpr std::size_t kSmallest = std::size_t{1} << 17;  // below, malloc itself does not ask for pages
// A reader of a large file asks for ever other sizes: what it gave back would be held for nothing.
constexpr std::size_t kLargestKept = std::size_t{1} << 26;
constexpr std::size_t kMostKept = std::size_t{1} << 29;  // bytes in all
constexpr std::size_t kMostPieces = 256;
constexpr std::size_t kHugePage = std::size_t{1} << 21;

struct Piece {
  void* start;
  std::size_t size;
};

// Sanitizers must see every use of memory that was given back.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif

struct Pool {
  std::mutex lock;
  std::vector<Piece> kept;  // the longest unused first
  std::size_t bytes = 0;

  Pool() { kept.reserve(kMostPieces); }
};

// Never destroyed: arrays may be given back while the interpreter ends.
Pool& pool() {
  static Pool* const it = new Pool;
  return *it;
}

std::size_t& size_of(void* start) { return *static_cast<std::size_t*>(start); }

void* find_kept(std::size_t size) {
  Pool& from = pool();
  const std::lock_guard guard(from.lock);
  for (auto piece = from.kept.rbegin(); piece != from.kept.rend(); ++piece)
    if (piece->size == size) {
      void* start = piece->start;
      from.bytes -= size;
      from.kept.erase(std::next(piece).base());
      return start;
    }
  return nullptr;
}

void* fresh(std::size_t size) {
  // Random access over many megabytes spends its time in address translation: huge pages help there.
  // Below that they do not pay: the system may take a millisecond to clear each of them.
  const std::size_t alignment = size >= kLarge ? kHugePage : 64;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* start = std::aligned_alloc(alignment, rounded);
  if (!start) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (alignment == kHugePage) madvise(start, rounded, MADV_HUGEPAGE);
#endif
  return start;
}

}  // namespace

void* take_memory(std::size_t bytes) {
  const std::size_t size = (bytes + kHeader + 63) / 64 * 64;
  void* start = kKeeps && size >= kSmallest ? find_kept(size) : nullptr;
  if (!start) start = fresh(size);
  size_of(start) = size;
  return static_cast<char*>(start) + kHeader;
}

void give_back_memory(void* pointer) noexcept {
  if (!pointer) return;
  void* start = static_cast<char*>(pointer) - kHeader;
  const std::size_t size = size_of(start);
  if (!kKeeps || size < kSmallest || size > kLargestKept) return std::free(start);
  Pool& to = pool();
  const std::lock_guard guard(to.lock);
  while (!to.kept.empty() && (to.bytes + size > kMostKept || to.kept.size() == kMostPieces)) {
    std::free(to.kept.front().start);
    to.bytes -= to.kept.front().size;
    to.kept.erase(to.kept.begin());
  }
  to.kept.push_back({start, size});
  to.bytes += size;
}

void release_memory() noexcept {
  Pool& from = pool();
  {
    const std::lock_guard guard(from.lock);
    for (const Piece& piece : from.kept) std::free(piece.start);
    from.kept.clear();
    from.bytes = 0;
  }
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace fastgat
