/* SPDX-License-Identifier: BSD-3-Clause */
/* exit_handlers.cpp - a program with everything that runs at the end of a process, made before
 * eyot_init: a handler of exit, and destructors of a static and of a thread_local object. Each
 * prints a line, in units only: progress processes are not the program's. */
#include <eyot/eyot.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

static void say(const char *text) {
  if (write(STDOUT_FILENO, text, std::strlen(text)) < 0) std::abort();
}

struct Speaker {
  const char *text;
  explicit Speaker(const char *what) : text(what) {}
  Speaker(const Speaker &) = delete;
  Speaker &operator=(const Speaker &) = delete;
  ~Speaker() { say(text); }
};

static void on_exit_of_program() {
  say("exit handler\n");
}

int main(int argc, char **argv) {
  static Speaker of_process("static object\n");
  thread_local Speaker of_thread("thread_local object\n");
  char *volatile used = const_cast<char *>(of_thread.text);
  if (used == nullptr || std::atexit(on_exit_of_program) != 0) return 1;
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
