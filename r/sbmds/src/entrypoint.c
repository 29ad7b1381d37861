/* R looks for R_init_sbmds; the Rust part registers what it has. */
void R_init_sbmds_extendr(void *dll);

void R_init_sbmds(void *dll) { R_init_sbmds_extendr(dll); }
