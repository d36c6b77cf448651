//! Every path that can reach a tool passes the gates.
