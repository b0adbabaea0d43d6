// attack: out-of-band bytes and descriptors over the socket
// ends: ok crash
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

#include "exercise.hpp"

struct Sender {
  Sender() {
    send(3, "!", 1, MSG_OOB | MSG_NOSIGNAL);
    char room[CMSG_SPACE(2 * sizeof(int))] = {};
    char byte = 0;
    iovec piece = {&byte, 1};
    msghdr message = {};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(2 * sizeof(int));
    const int passed[2] = {0, 1};
    std::memcpy(CMSG_DATA(head), passed, sizeof passed);
    for (int i = 0; i < 100; ++i) sendmsg(3, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
} sender;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline
