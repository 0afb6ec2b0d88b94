/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h - runs eyot-calibrate-probe under eyotrun, and collects its samples. */
#ifndef EYOT_CALIBRATE_JOB_H
#define EYOT_CALIBRATE_JOB_H

#include "calibrate/samples.h"

struct job {
  const char *eyotrun, *probe; /* paths */
  const char *hosts;           /* of --hosts; NULL: virtual nodes of this machine */
};

/* Measures the machine: within a node, or between two. Adds to *out. Returns false after a
 * message. */
bool job_measure(const struct job *j, bool network, uint32_t rounds, double block_ns,
                 struct samples *out);
/* The same measurements in the simulator, on the machine of that file. */
bool job_simulate(const struct job *j, const char *machine, bool network, double block_ns,
                  struct samples *out);
#endif
