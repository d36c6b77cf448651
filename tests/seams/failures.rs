//! What a failure means, at every seam: never a decision, and the next call is a new one.
