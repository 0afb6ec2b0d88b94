/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.c - see launcher.h.
 *
 * PMI: lines of text, "cmd=init ...", "cmd=abort exitcode=N", on the socket PMI_FD or to the port
 * PMI_PORT. MPICH's Hydra takes an abort at any time; Slurm's plugin pmi2 only after an init, whose
 * answer has to be waited for, because it reads both as one otherwise. A second init, where MPI has
 * already sent one, is an error line of Slurm's and nothing else. Both speak version 1 with every
 * client. PMIx is a library whose ABI is stable: it is loaded here, because MPI may be another's or
 * may not be loadable. */
#include "rt/launcher.h"

#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/conf.h"

#define LINE_BYTES 256u
#define ANSWER_MS 1000       /* the launcher has this long to answer */
#define PMIX_PROC_BYTES 512u /* at least those of pmix_proc_t: a name of 256 bytes and a number */

static const struct eyoti_launcher LAUNCHERS[] = {
    [EYOTI_LAUNCHER_MPICH] = {"PMI_SIZE", "MPICH's mpiexec"},
    [EYOTI_LAUNCHER_OPENMPI] = {"OMPI_COMM_WORLD_SIZE", "Open MPI's mpiexec"},
    {"PRTE_NUM_PROCS", "PRRTE's prterun"},
    {"MV2_COMM_WORLD_SIZE", "MVAPICH's launcher"},
    {"SLURM_STEP_NUM_TASKS", "srun"},
    {"PALS_LOCAL_SIZE", "PALS"}};
static const char *const RANKS[] = {
    "PMI_RANK",  "PMI_ID",      "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
    "PMIX_RANK", "SLURM_PROCID"};

const struct eyoti_launcher *eyoti_launcher_at(uint32_t index) {
  return index < sizeof LAUNCHERS / sizeof *LAUNCHERS ? &LAUNCHERS[index] : NULL;
}

/* False: not set, or not a number. */
static bool number_of(const char *variable, uint32_t *value) {
  const char *text = eyoti_conf_foreign_env(variable);
  char *end;
  if (text == NULL || *text == '\0') return false;
  unsigned long v = strtoul(text, &end, 10);
  if (*end != '\0' || v >= UINT32_MAX) return false;
  *value = (uint32_t)v;
  return true;
}

uint32_t eyoti_launcher_processes(void) {
  uint32_t n;
  for (size_t i = 0; i < sizeof LAUNCHERS / sizeof *LAUNCHERS; i++)
    if (number_of(LAUNCHERS[i].variable, &n)) return n;
  return eyoti_conf_foreign_env("PMI_PORT") != NULL ? UINT32_MAX : 1;
}

uint32_t eyoti_launcher_local_processes(void) {
  uint32_t n;
  return number_of("MPI_LOCALNRANKS", &n) || number_of("OMPI_COMM_WORLD_LOCAL_SIZE", &n) ? n : 0;
}

uint32_t eyoti_launcher_rank(void) {
  uint32_t rank;
  for (size_t i = 0; i < sizeof RANKS / sizeof *RANKS; i++)
    if (number_of(RANKS[i], &rank)) return rank;
  return UINT32_MAX;
}

int eyoti_launcher_descriptor(void) {
  uint32_t fd;
  return number_of("PMI_FD", &fd) && fd <= INT32_MAX ? (int)fd : -1;
}

static bool say(int fd, const char *line) {
  for (size_t sent = 0, len = strlen(line); sent < len;) {
    ssize_t n = send(fd, line + sent, len - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == ENOTSOCK) n = write(fd, line + sent, len - sent);
    if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (n > 0) sent += (size_t)n;
  }
  return true;
}

/* Waits for an answer and drops it: nothing in it matters any more. */
static void hear(int fd) {
  char line[LINE_BYTES];
  struct pollfd p = {.fd = fd, .events = POLLIN};
  if (poll(&p, 1, ANSWER_MS) != 1) return;
  ssize_t ignored = read(fd, line, sizeof line);
  (void)ignored;
}

/* Connects to PMI_PORT, "HOST:PORT", as process PMI_ID; -1: impossible. */
static int dial(void) {
  const char *text = eyoti_conf_foreign_env("PMI_PORT"), *id = eyoti_conf_foreign_env("PMI_ID");
  const char *colon = text != NULL ? strrchr(text, ':') : NULL;
  char host[LINE_BYTES], line[LINE_BYTES];
  const struct addrinfo how = {.ai_socktype = SOCK_STREAM};
  struct addrinfo *all;
  int fd = -1;
  if (colon == NULL || id == NULL || (size_t)(colon - text) >= sizeof host) return -1;
  memcpy(host, text, (size_t)(colon - text));
  host[colon - text] = '\0';
  if (getaddrinfo(host, colon + 1, &how, &all) != 0) return -1;
  for (const struct addrinfo *a = all; a != NULL && fd < 0; a = a->ai_next) {
    fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, a->ai_addr, a->ai_addrlen) == 0) continue;
    close(fd);
    fd = -1;
  }
  freeaddrinfo(all);
  snprintf(line, sizeof line, "cmd=initack pmiid=%s\n", id);
  if (fd >= 0 && say(fd, line)) hear(fd);
  return fd;
}

static bool abort_by_pmi(int code) {
  char line[LINE_BYTES];
  int fd = eyoti_launcher_descriptor();
  if (fd < 0) fd = dial();
  if (fd < 0 || !say(fd, "cmd=init pmi_version=1 pmi_subversion=1\n")) return false;
  hear(fd);
  snprintf(line, sizeof line, "cmd=abort exitcode=%d\n", code);
  return say(fd, line);
}

static void abort_by_pmix(int code) {
  _Alignas(16) char proc[PMIX_PROC_BYTES];
  int (*init)(void *proc, void *info, size_t n);
  int (*end)(int status, const char *text, void *procs, size_t n);
  if (eyoti_conf_foreign_env("PMIX_NAMESPACE") == NULL) return;
  void *lib = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
  void *first = lib != NULL ? dlsym(lib, "PMIx_Init") : NULL;
  void *last = lib != NULL ? dlsym(lib, "PMIx_Abort") : NULL;
  if (first == NULL || last == NULL) return;
  memcpy(&init, &first, sizeof init);
  memcpy(&end, &last, sizeof end);
  if (init(proc, NULL, 0) == 0) (void)end(code, "eyot cannot start", NULL, 0);
}

void eyoti_launcher_abort(int code) {
  if (!abort_by_pmi(code)) abort_by_pmix(code);
}
