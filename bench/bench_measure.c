/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_measure.c - runs a command and adds one line to its output: "wall_s W cpu_s U peak_kb K
 * exit C" (wall time, processor time and peak memory of the command and its children). */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
  struct timespec begin, end;
  struct rusage usage;
  int status;
  if (argc < 2) {
    fprintf(stderr, "usage: bench_measure COMMAND [ARGUMENTS]\n");
    return 2;
  }
  clock_gettime(CLOCK_MONOTONIC, &begin);
  pid_t child = fork();
  if (child == 0) {
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    perror("bench_measure");
    return 1;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  printf("wall_s %.6f cpu_s %.6f peak_kb %ld exit %d\n",
         (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec),
         (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
             1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
         usage.ru_maxrss, code);
  return code;
}
