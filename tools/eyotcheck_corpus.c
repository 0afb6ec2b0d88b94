/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotcheck_corpus.c - see eyotcheck_corpus.h. Each replay is a process of its own, since units and
 * options are fixed when a program is loaded. */
#include "eyotcheck_corpus.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eyotcheck_job.h"

#define SUFFIX ".run"
#define FIXED_WORDS 8

static int is_run(const struct dirent *entry) {
  size_t n = strlen(entry->d_name), suffix = strlen(SUFFIX);
  return entry->d_name[0] != '.' && n > suffix && strcmp(entry->d_name + n - suffix, SUFFIX) == 0;
}

static void child(char **argv) __attribute__((noreturn));
static void child(char **argv) {
  int null = open("/dev/null", O_WRONLY);
  if (null >= 0) (void)dup2(null, STDOUT_FILENO);
  if (null >= 0) (void)dup2(null, STDERR_FILENO);
  execv("/proc/self/exe", argv);
  _exit(EYOTI_EXIT_NOT_FOUND);
}

/* The exit code of `eyotcheck --replay path -- program`, which draws its pictures (NULL: none). */
static int replay(char *path, const struct fab_explore *pictures, char **program) {
  int n = 0, status = 0;
  while (program[n] != NULL) n++;
  char **argv = calloc(FIXED_WORDS + (size_t)n + 1, sizeof *argv);
  if (argv == NULL) return EYOTI_EXIT_USAGE;
  char mermaid[] = "--mermaid", svg[] = "--svg";
  int k = 0;
  argv[k++] = (char[]){"eyotcheck"};
  argv[k++] = (char[]){"--replay"};
  argv[k++] = path;
  if (pictures != NULL && pictures->mermaid != NULL) {
    argv[k++] = mermaid;
    argv[k++] = (char *)(uintptr_t)pictures->mermaid;
  }
  if (pictures != NULL && pictures->svg != NULL) {
    argv[k++] = svg;
    argv[k++] = (char *)(uintptr_t)pictures->svg;
  }
  argv[k++] = (char[]){"--"};
  for (int i = 0; i < n; i++) argv[k++] = program[i];
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) child(argv);
  free(argv);
  if (pid < 0) return EYOTI_EXIT_USAGE;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return EYOTI_EXIT_USAGE;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EYOTI_EXIT_SIGNAL + WTERMSIG(status);
}

static void read_failure(const char *path, char *reason, size_t bytes) {
  struct chk_file f;
  chk_file_init(&f);
  FILE *in = fopen(path, "re");
  if (in != NULL && chk_file_read(&f, in, path, NULL) == 0)
    snprintf(reason, bytes, "%s", f.failure);
  if (in != NULL) fclose(in);
  chk_file_fini(&f);
}

static const char *meaning(int code) {
  switch (code) {
    case EYOTI_EXIT_OK:
      return "does not fail any more";
    case EYOTI_EXIT_FOUND:
      return "fails";
    case EYOTI_EXIT_STALE:
      return "no longer applies: remove it, and search anew";
    default:
      return "could not be run: eyotcheck --replay says why";
  }
}

/* The worst of two: a failure, then an error, then a file that no longer applies. */
static int worse(int a, int b) {
  static const int ORDER[] = {EYOTI_EXIT_FOUND, EYOTI_EXIT_USAGE, EYOTI_EXIT_STALE};
  for (size_t i = 0; i < sizeof ORDER / sizeof *ORDER; i++)
    if (a == ORDER[i] || b == ORDER[i]) return ORDER[i];
  return EYOTI_EXIT_OK;
}

int corpus_replay(const char *folder, char **program, char *failing, size_t failing_bytes,
                  char *reason, size_t reason_bytes) {
  struct dirent **list;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "eyotcheck: --corpus: cannot make the folder %s: %s\n", folder,
            strerror(errno));
    return EYOTI_EXIT_USAGE;
  }
  int n = scandir(folder, &list, is_run, alphasort);
  if (n < 0) {
    fprintf(stderr, "eyotcheck: --corpus: cannot read the folder %s: %s\n", folder,
            strerror(errno));
    return EYOTI_EXIT_USAGE;
  }
  int all = EYOTI_EXIT_OK;
  for (int i = 0; i < n; i++) {
    char path[PATH_MAX];
    int code = snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name) < (int)sizeof path
                   ? replay(path, NULL, program)
                   : EYOTI_EXIT_USAGE;
    if (code != EYOTI_EXIT_OK && code != EYOTI_EXIT_FOUND && code != EYOTI_EXIT_STALE)
      code = EYOTI_EXIT_USAGE;
    printf("eyotcheck: corpus: %s %s\n", path, meaning(code));
    if (code == EYOTI_EXIT_FOUND && all != EYOTI_EXIT_FOUND) {
      snprintf(failing, failing_bytes, "%s", path);
      read_failure(path, reason, reason_bytes);
    }
    all = worse(all, code);
    free(list[i]);
  }
  free(list);
  return all;
}

int corpus_draw(char *path, const struct fab_explore *pictures, char **program) {
  if (pictures->mermaid == NULL && pictures->svg == NULL) return EYOTI_EXIT_OK;
  if (replay(path, pictures, program) != EYOTI_EXIT_FOUND) {
    fprintf(stderr, "eyotcheck: the run of %s could not be drawn\n", path);
    return EYOTI_EXIT_USAGE;
  }
  if (pictures->mermaid != NULL) printf("eyotcheck: drawn in %s\n", pictures->mermaid);
  if (pictures->svg != NULL) printf("eyotcheck: drawn in %s\n", pictures->svg);
  return EYOTI_EXIT_OK;
}

int corpus_add(const char *folder, const char *from, const char *program, char *to, size_t bytes) {
  const char *slash = strrchr(program, '/');
  if (snprintf(to, bytes, "%s/%s-%016" PRIx64 SUFFIX, folder, slash != NULL ? slash + 1 : program,
               tool_hash_file(from)) < (int)bytes &&
      rename(from, to) == 0) {
    printf("eyotcheck: corpus: the failing run is %s now\n", to);
    return 0;
  }
  fprintf(stderr, "eyotcheck: --corpus: cannot move %s into %s: %s\n", from, folder,
          strerror(errno));
  return EYOTI_EXIT_USAGE;
}
