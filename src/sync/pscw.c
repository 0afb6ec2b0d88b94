#include "sync.h"
void eyoti_pscws_stop(struct eyot_rt *rt) { (void)rt; }
