#include "sync.h"
void eyoti_counters_stop(struct eyot_rt *rt) { (void)rt; }
