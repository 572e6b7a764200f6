#include "store/redis/protocol.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <new>
#include <utility>

#include "base/text.hpp"

namespace kiln::redis {

std::string encode_command(Words words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const auto word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* formatted = nullptr;
  const int size = redisFormatCommandArgv(&formatted, static_cast<int>(words.size()), texts.data(),
                                          sizes.data());
  // hiredis counts in int: what would overflow it is refused before it gets here (RedisStore).
  if (size < 0) throw std::bad_alloc();
  std::string command(formatted, static_cast<std::size_t>(size));
  redisFreeCommand(formatted);
  return command;
}

struct ReplyReader::State {
  redisReader* reader = nullptr;
  std::size_t elements = 0;  ///< of the reply under way
  std::size_t fed = 0;       ///< bytes since the last whole reply

  ~State() {
    if (reader != nullptr) redisReaderFree(reader);
  }
};

// What hiredis calls to build a reply. Elements of an array live inside their parent, so only the
// outermost is ever freed. Null says that there is no memory; nothing may be thrown through C.
namespace {

using Type = Reply::Type;

Type type_of(const redisReadTask& task) {
  return task.type == REDIS_REPLY_STATUS  ? Type::status
         : task.type == REDIS_REPLY_ERROR ? Type::error
                                          : Type::string;
}

/// The place of a task's object; a new one for the outermost.
Reply* place_of(const redisReadTask& task) {
  if (task.parent == nullptr) return new (std::nothrow) Reply;
  return &static_cast<Reply*>(task.parent->obj)->elements[static_cast<std::size_t>(task.idx)];
}

template <class Fill>
void* build(const redisReadTask* task, const Fill& fill) noexcept {
  Reply* const reply = place_of(*task);
  if (reply == nullptr) return nullptr;
  try {
    fill(*reply);
    return reply;
  } catch (...) {
    if (task->parent == nullptr) delete reply;
    return nullptr;
  }
}

void* create_string(const redisReadTask* task, char* text, std::size_t size) {
  return build(task, [&](Reply& reply) {
    reply.type = type_of(*task);
    reply.text.assign(text, size);
  });
}

void* create_array(const redisReadTask* task, int size) {
  auto& seen = *static_cast<std::size_t*>(task->privdata);
  // A few bytes can announce two thousand million elements.
  if (size < 0 || (seen += static_cast<std::size_t>(size)) > ReplyReader::most_elements)
    return nullptr;
  return build(task, [&](Reply& reply) {
    reply.type = Type::array;
    reply.elements.resize(static_cast<std::size_t>(size));
  });
}

void* create_integer(const redisReadTask* task, long long value) {
  return build(task, [&](Reply& reply) {
    reply.type = Type::integer;
    reply.integer = value;
  });
}

void* create_nil(const redisReadTask* task) {
  return build(task, [](Reply& reply) { reply.type = Type::nil; });
}

void free_object(void* reply) { delete static_cast<Reply*>(reply); }

redisReplyObjectFunctions functions{create_string, create_array, create_integer, create_nil,
                                    free_object};

}  // namespace

ReplyReader::ReplyReader() : state_(std::make_unique<State>()) {
  state_->reader = redisReaderCreateWithFunctions(&functions);
  if (state_->reader == nullptr) throw std::bad_alloc();
  state_->reader->privdata = &state_->elements;
}
ReplyReader::~ReplyReader() = default;
ReplyReader::ReplyReader(ReplyReader&&) noexcept = default;
ReplyReader& ReplyReader::operator=(ReplyReader&&) noexcept = default;

Expected<std::optional<Reply>> ReplyReader::next() {
  void* built = nullptr;
  if (redisReaderGetReply(state_->reader, &built) != REDIS_OK)
    return fail(
        Errc::corrupt,
        fmt::format("the reply is not Redis's protocol ({}{})", one_line(state_->reader->errstr),
                    state_->elements > most_elements ? ", a list too long" : ""));
  if (built == nullptr) return std::nullopt;
  const std::unique_ptr<Reply> reply(static_cast<Reply*>(built));
  state_->elements = 0;
  state_->fed = state_->reader->len - state_->reader->pos;
  return std::move(*reply);
}

Expected<void> ReplyReader::feed(std::string_view bytes, std::size_t limit) {
  state_->fed += bytes.size();
  if (state_->fed > limit)
    return fail(Errc::corrupt, fmt::format("found a reply of more than {} bytes", limit));
  if (redisReaderFeed(state_->reader, bytes.data(), bytes.size()) != REDIS_OK)
    return fail(Errc::corrupt, "no memory for a reply");
  return {};
}

bool ReplyReader::empty() const { return state_->fed == 0; }

}  // namespace kiln::redis
