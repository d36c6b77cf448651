//! Faults of neighbouring systems, as tests: see `bugs.md` for which test holds which row.
