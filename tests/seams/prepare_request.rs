//! `prepare-request`: the model of a request and what it is shown.
