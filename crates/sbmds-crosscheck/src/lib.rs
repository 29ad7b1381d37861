//! Nothing but tests: sbmds against programs of others, which take longer to compile than sbmds itself.
