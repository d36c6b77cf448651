//! `get-api-key`: the key of a provider.
