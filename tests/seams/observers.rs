//! The observer seams: each sees what happened, and none can slow a run down.
