//! The allocator of a plugin: smaller than the C library's, and like it good for any mix of sizes.

#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
