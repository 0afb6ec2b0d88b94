#include "sync.h"
void eyoti_barriers_stop(struct eyot_rt *rt) { (void)rt; }
