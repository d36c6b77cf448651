//! `before-provider-payload`: the body of a request.
