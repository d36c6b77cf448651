//! `before-provider-request`: headers and options of a request.
