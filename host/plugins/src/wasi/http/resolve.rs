//! Names to addresses.

use std::io;
use std::net::IpAddr;

use async_trait::async_trait;

/// Looks names up.
#[async_trait]
pub(super) trait Resolve: Send + Sync {
    /// All addresses of a name.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// As this system does.
pub(super) struct System;

#[async_trait]
impl Resolve for System {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}
