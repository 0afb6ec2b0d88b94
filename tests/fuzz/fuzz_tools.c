/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_tools.c - runs whole tools on inputs that a seeded generator has damaged, and fails if one
 * crashes, hangs or ends with a code that docs/exit-codes.md does not have:
 *
 *   fuzz_tools BUILD_DIR KIND CASES [SEED]     KIND: run, platform, hosts, fault, option, env, all
 *
 * Why it exists: a reader that is right alone may still be called wrongly. Inputs begin as valid
 * ones and stay nearly so: bytes, numbers, words and lines change, are repeated, are lost, or come
 * from another valid input. A case is repeated by its seed, which a failure prints; its input stays
 * in the current folder. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "check/strategy/rng.h"

#define INPUT_BYTES 16384u
#define OUTPUT_BYTES 65536u
#define ARGUMENTS_MAX 32
#define LIMIT_MS 20000u
#define PATH_BYTES 1024u

static const char *build;
static struct chk_rng rng;

struct text {
  size_t n;
  char at[INPUT_BYTES + 1];
};

static uint32_t below(uint32_t n) {
  return chk_rng_below(&rng, n);
}

static void set(struct text *t, const char *from) {
  t->n = (size_t)snprintf(t->at, sizeof t->at, "%s", from);
  if (t->n > INPUT_BYTES) t->n = INPUT_BYTES;
}

/* -- damage ------------------------------------------------------------------------------------ */

/* Replaces `lost` bytes at `at` by the `n` of `in`, as far as there is room. */
static void text_splice(struct text *t, size_t at, size_t lost, const char *in, size_t n) {
  if (at > t->n) at = t->n;
  if (lost > t->n - at) lost = t->n - at;
  if (t->n - lost + n > INPUT_BYTES) return;
  memmove(t->at + at + n, t->at + at + lost, t->n - at - lost);
  memcpy(t->at + at, in, n);
  t->n += n - lost;
  t->at[t->n] = '\0';
}

static const char *const NUMBERS[] = {"0",
                                      "1",
                                      "-1",
                                      "2147483648",
                                      "4294967295",
                                      "4294967296",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "99999999999999999999999999",
                                      "1e9",
                                      "nan",
                                      "-0.0",
                                      "1e-320",
                                      "0x10",
                                      "16777217",
                                      ""};
static const char *const WORDS[] = {"=",  ":", ";", ",",    "/",  "*", "\"",  "\\", "\\x", "\n",
                                    "\t", "<", ">", "%n%s", "..", "#", "end", " ",  "-",   "\xff"};
#define N(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

static size_t span(const struct text *t, size_t at, const char *set_of, bool inside) {
  size_t n = 0;
  while (at + n < t->n && (strchr(set_of, t->at[at + n]) != NULL) == inside) n++;
  return n;
}

static void damage_number(struct text *t) {
  static const char DIGITS[] = "0123456789";
  size_t at = span(t, below((uint32_t)t->n + 1), DIGITS, false);
  const char *number = NUMBERS[below(N(NUMBERS))];
  text_splice(t, at, span(t, at, DIGITS, true), number, strlen(number));
}

static void damage_line(struct text *t, size_t at) {
  char line[512];
  while (at > 0 && t->at[at - 1] != '\n') at--;
  size_t n = span(t, at, "\n", false);
  n += at + n < t->n;
  if (n > sizeof line) n = sizeof line;
  memcpy(line, t->at + at, n);
  bool twice = below(2) == 0;
  text_splice(t, twice ? at : below((uint32_t)t->n + 1), 0, line, n);
  if (!twice) text_splice(t, at, n, "", 0);
}

static void damage_repeat(struct text *t, size_t at) {
  char block[64];
  size_t n = below(2) == 0 ? 1 : 1 + below(sizeof block), times = 1 + below(n == 1 ? 9000 : 200);
  if (at + n > t->n) return;
  memcpy(block, t->at + at, n);
  while (times-- > 0) text_splice(t, at, 0, block, n);
}

/* One change. `other`: another valid input. */
static void damage(struct text *t, const char *other) {
  size_t at = below((uint32_t)t->n + 1);
  const char *word = WORDS[below(N(WORDS))];
  char byte = (char)(1 + below(255));
  switch (below(9)) {
    case 0:
      text_splice(t, at, 1, &byte, 1);
      break;
    case 1:
      text_splice(t, at, 1 + below(16), "", 0);
      break;
    case 2:
      text_splice(t, at, below(2), word, strlen(word));
      break;
    case 3:
    case 4:
      damage_number(t);
      break;
    case 5:
      damage_line(t, at);
      break;
    case 6:
      damage_repeat(t, at);
      break;
    case 7:
      text_splice(t, at, INPUT_BYTES, "", 0);
      break;
    default: {
      size_t from = below((uint32_t)strlen(other) + 1), n = strlen(other + from);
      text_splice(t, at, below(64), other + from, n < 200 ? n : 200);
    }
  }
}

static void make(struct text *t, const char *const *valid, uint32_t n) {
  set(t, valid[below(n)]);
  for (uint32_t changes = 1 + below(4); changes > 0; changes--) damage(t, valid[below(n)]);
}

/* -- runs -------------------------------------------------------------------------------------- */

struct run {
  char *argv[ARGUMENTS_MAX];
  int n;
  char *variable, *value; /* to set in the environment, or NULL */
};

static void add(struct run *r, const char *word) {
  if (r->n < ARGUMENTS_MAX - 1) r->argv[r->n++] = strdup(word);
}

static void add_path(struct run *r, const char *format, const char *path) {
  char text[PATH_BYTES];
  snprintf(text, sizeof text, format, path);
  add(r, text);
}

static void child(const struct run *r, int out) __attribute__((noreturn));
static void child(const struct run *r, int out) {
  int null = open("/dev/null", O_RDONLY);
  (void)setpgid(0, 0);
  (void)dup2(null, STDIN_FILENO);
  (void)dup2(out, STDOUT_FILENO);
  (void)dup2(out, STDERR_FILENO);
  if (r->variable != NULL) (void)setenv(r->variable, r->value, 1);
  execv(r->argv[0], r->argv);
  _exit(127);
}

/* The status of the run; -1: it did not end in time. */
static int execute(const struct run *r, int out) {
  int status;
  pid_t pid = fork();
  if (pid == 0) child(r, out);
  for (uint32_t ms = 0; ms < LIMIT_MS; ms++) {
    pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) return status;
    const struct timespec wait = {0, 1000000};
    (void)nanosleep(&wait, NULL);
  }
  (void)kill(-pid, SIGKILL);
  (void)waitpid(pid, &status, 0);
  return -1;
}

/* NULL: all is well; else what is wrong. */
static const char *judge(int status, const char *output) {
  /* of exit_codes.def, without those that need a wrong program, a stopped process or no memory */
  static const int CODES[] = {
      EYOTI_EXIT_OK,         EYOTI_EXIT_FOUND,        EYOTI_EXIT_USAGE,    EYOTI_EXIT_DEADLOCK,
      EYOTI_EXIT_LIVELOCK,   EYOTI_EXIT_INCONCLUSIVE, EYOTI_EXIT_STALE,    EYOTI_EXIT_INCOMPLETE,
      EYOTI_EXIT_TIME_LIMIT, EYOTI_EXIT_NOT_RUNNABLE, EYOTI_EXIT_NOT_FOUND};
  static const char *const NEVER[] = {"AddressSanitizer", "runtime error:",   "panic at",
                                      "outside eyot",     "a defect of eyot", "LeakSanitizer"};
  for (uint32_t i = 0; i < N(NEVER); i++)
    if (strstr(output, NEVER[i]) != NULL) return NEVER[i];
  if (status == -1) return "it did not end";
  if (!WIFEXITED(status)) return strsignal(WTERMSIG(status));
  for (uint32_t i = 0; i < N(CODES); i++)
    if (CODES[i] == WEXITSTATUS(status))
      return status != 0 && *output == '\0' ? "an exit code without a message" : NULL;
  return "an exit code that such an input must not give";
}

static bool try(const struct run *r, const char *kind, uint64_t seed) {
  static char output[OUTPUT_BYTES];
  int out = memfd_create("output", MFD_CLOEXEC);
  int status = execute(r, out);
  ssize_t n = pread(out, output, sizeof output - 1, 0);
  output[n > 0 ? n : 0] = '\0';
  close(out);
  const char *wrong = judge(status, output);
  if (wrong == NULL) return true;
  printf("fuzz_tools: %s, seed %" PRIu64 ": %s (status %#x)\n ", kind, seed, wrong,
         (unsigned)status);
  for (int i = 0; i < r->n; i++) printf(" '%s'", r->argv[i]);
  if (r->variable != NULL) printf("\n  %s='%s'", r->variable, r->value);
  printf("\n%.2000s\n", output);
  return false;
}

/* -- kinds of input ---------------------------------------------------------------------------- */

static void save(const struct text *t, const char *path) {
  FILE *f = fopen(path, "w");
  if (f == NULL || fwrite(t->at, 1, t->n, f) != t->n || fclose(f) != 0) {
    perror(path);
    exit(2);
  }
}

static void simulated(struct run *r) {
  add_path(r, "%s/bin/eyotrun", build);
  add(r, "--fabric");
  add(r, "sim");
  add(r, "--max-steps");
  add(r, "100000");
}

static void program(struct run *r) {
  add_path(r, "%s/examples/hello", build);
}

/* Keeps units and heaps small: large ones are legal, and take long. */
static bool costly(const char *text) {
  static const char *const OF[] = {
      "units", "heap", "stack", "EYOT_N=", "watchdog", "jobs", "seeds", "node"};
  for (uint32_t i = 0; i < N(OF); i++)
    if (strstr(text, OF[i]) != NULL) return true;
  return false;
}

static void kind_run(struct run *r, struct text *t) {
  char path[PATH_BYTES], valid[2][2048];
  snprintf(path, sizeof path, "%s/examples/hello", build);
  for (uint32_t i = 0; i < 2; i++)
    snprintf(valid[i], sizeof valid[i],
             "eyotcheck %u\nprogram \"%s\"\nargument \"a \\x0a \\\" b\"\noption "
             "\"strategy=random\"\noption \"order=tso\"\noption \"max-run=2000\"\noption "
             "\"fault=crash:unit=1,op=3\"\nunits 2\n%sfailure \"deadlock: no unit\"\ntrace "
             "0123456789abcdef\nchoices 9\n0/2 1/3*3 2/4\n0/5*4\nend\n",
             2 - i, path, i == 0 ? "eyot \"0.1.0\"\nbuild 00ff00ff00ff00ff\n" : "");
  make(t, (const char *const[]){valid[0], valid[1]}, 2);
  /* a number of units is legal up to a million */
  const char *units = strstr(t->at, "\nunits ");
  if (units != NULL && strlen(units) > 8 && units[8] != '\n') set(t, valid[0]), damage_number(t);
  save(t, "fuzz.run");
  add_path(r, "%s/bin/eyotcheck", build);
  add(r, below(2) == 0 ? "--replay" : "--shrink");
  add(r, "fuzz.run");
  add(r, "--heap-size=64K");
  add(r, "-n2");
}

static void kind_platform(struct run *r, struct text *t) {
  static const char *const VALID[] = {
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
      "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n<zone id=\"z\" "
      "routing=\"Full\">\n<host id=\"a\" speed=\"1Gf\" core=\"2\"/>\n<host id=\"b\" "
      "speed=\"1Gf\" core=\"2\"/>\n<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>\n<route "
      "src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>\n</zone>\n</platform>\n",
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
      "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n<cluster id=\"c\" "
      "prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>\n"
      "</platform>\n"};
  static const char *const NAMES[] = {"dragonfly:groups=2,chassis=2,blades=2,nodes=2", "torus:2x2",
                                      "xc40", "cluster:nodes=2"};
  simulated(r);
  add(r, "-n2");
  add(r, "--platform");
  if (below(2) == 0) {
    make(t, VALID, N(VALID));
    save(t, "fuzz.xml");
    add(r, "fuzz.xml");
  } else {
    make(t, NAMES, N(NAMES));
    add(r, t->at);
  }
  program(r);
}

static void kind_hosts(struct run *r, struct text *t) {
  static const char *const VALID[] = {"# machines\nalpha:2\nbeta:4\n\ngamma\n",
                                      "127.0.0.1:3 ifname=eth0\nlocalhost\n"};
  static const char *const LISTS[] = {"alpha:2,beta:4,gamma", "localhost", "a[1-3],b"};
  add_path(r, "%s/bin/eyotrun", build);
  add(r, "-n3");
  if (below(2) == 0) add(r, "--progress=1");
  bool file = below(2) == 0;
  make(t, file ? VALID : LISTS, file ? N(VALID) : N(LISTS));
  if (file) save(t, "fuzz.hosts");
  add(r, file ? "--hostfile" : "--hosts");
  add(r, file ? "fuzz.hosts" : t->at);
  program(r);
  /* stands for the launcher: nothing starts anywhere */
  r->variable = strdup("EYOT_MPIEXEC");
  r->value = strdup("./launcher");
}

static void kind_fault(struct run *r, struct text *t) {
  static const char *const VALID[] = {
      "crash:unit=1,at=10us", "crash:unit=0,op=5;slow:unit=1,by=3",
      "noise:every=1ms,for=20us;link-down:from=0,to=1,at=1us,for=2us",
      "link-slow:from=0,to=1,by=10", "slow:node=0,factor=2"};
  make(t, VALID, N(VALID));
  if (below(2) == 0) {
    simulated(r);
  } else {
    add_path(r, "%s/bin/eyotcheck", build);
    add(r, "--runs=20");
    add(r, "--no-shrink");
    add(r, "--max-run=2000");
  }
  add(r, "-n2");
  add(r, "--fault");
  add(r, t->at);
  program(r);
}

static void kind_option(struct run *r, struct text *t) {
  static const char *const VALID[] = {"--order=chaos",
                                      "--engine=fiber",
                                      "--max-outstanding=16",
                                      "--stats",
                                      "--trace-hash=on",
                                      "--log=error",
                                      "--detect=-race,-leak",
                                      "--strategy=pct",
                                      "--depth=3",
                                      "--livelock",
                                      "--keep-going=off",
                                      "--replay=fuzz.none",
                                      "--compute=declared",
                                      "--pack-bytes=4K",
                                      "--max-virtual-time=10ms",
                                      "--no-reduction",
                                      "--save=fuzz.saved",
                                      "--bulk-atomic=10",
                                      "--hosts=a",
                                      "-n2",
                                      "--seed=7",
                                      "--per-host=1",
                                      "--mpi=auto",
                                      "--progress-line=off"};
  bool check = below(2) == 0;
  if (check)
    add_path(r, "%s/bin/eyotcheck", build);
  else
    simulated(r);
  for (uint32_t k = 1 + below(3); k > 0; k--) {
    if (k == 1)
      make(t, VALID, N(VALID));
    else
      set(t, VALID[below(N(VALID))]);
    if (!costly(t->at)) add(r, t->at);
  }
  if (check) add(r, "--runs=20");
  program(r);
}

static void kind_env(struct run *r, struct text *t) {
  static const char *const NAMES[] = {"EYOT_ORDER",
                                      "EYOT_LOG",
                                      "EYOT_STATS",
                                      "EYOT_FABRIC",
                                      "EYOT_PLATFORM",
                                      "EYOT_SEED",
                                      "EYOT_FAULT",
                                      "EYOT_PACK_BYTES",
                                      "EYOT_FABRIC_DIR",
                                      "EYOT_MAX_OUTSTANDING",
                                      "EYOT_TYPO",
                                      "EYOT_CHECK",
                                      "PATH",
                                      "EYOT_STATS_CSV",
                                      "EYOT_COMPUTE"};
  static const char *const VALUES[] = {"rdma", "on", "sim", "xc40", "7", "10ms", "4K", "/tmp"};
  make(t, VALUES, N(VALUES));
  static const char *const TOOLS[] = {"%s/bin/eyotcheck", "%s/bin/eyotrun", "%s/bin/eyot-info"};
  uint32_t tool = below(N(TOOLS));
  r->variable = strdup(NAMES[below(N(NAMES))]);
  r->value = strdup(t->at);
  add_path(r, TOOLS[tool], build);
  if (tool == 2) return;
  add(r, "-n2");
  if (tool == 1) add(r, "--fabric=sim");
  if (tool == 0) add(r, "--runs=20");
  program(r);
}

static const struct {
  const char *name;
  void (*make)(struct run *r, struct text *t);
} KINDS[] = {{"run", kind_run},     {"platform", kind_platform}, {"hosts", kind_hosts},
             {"fault", kind_fault}, {"option", kind_option},     {"env", kind_env}};

static bool one(uint32_t kind, uint64_t seed) {
  static struct text t;
  struct run r = {.n = 0};
  rng = chk_rng_of(seed, kind);
  KINDS[kind].make(&r, &t);
  bool ok = try(&r, KINDS[kind].name, seed);
  for (int i = 0; i < r.n; i++) free(r.argv[i]);
  free(r.variable);
  free(r.value);
  return ok;
}

static void write_launcher(void) {
  FILE *f = fopen("launcher", "w");
  if (f == NULL || fputs("#!/bin/sh\necho HYDRA build details:\n", f) < 0 || fclose(f) != 0 ||
      chmod("launcher", 0755) != 0) {
    perror("launcher");
    exit(2);
  }
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: fuzz_tools BUILD_DIR KIND CASES [SEED]\n");
    return 2;
  }
  build = argv[1];
  uint64_t cases = strtoull(argv[3], NULL, 10), seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
  uint64_t n = 0, bad = 0;
  write_launcher();
  for (uint32_t kind = 0; kind < N(KINDS); kind++) {
    if (strcmp(argv[2], "all") != 0 && strcmp(argv[2], KINDS[kind].name) != 0) continue;
    for (uint64_t i = 0; i < cases; i++, n++) bad += !one(kind, seed + i);
  }
  printf("fuzz_tools: %" PRIu64 " cases from seed %" PRIu64 ", %" PRIu64 " bad\n", n, seed, bad);
  return bad > 0 || n == 0;
}
