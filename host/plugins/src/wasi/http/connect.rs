//! From a site to a connection with one of its addresses, all of which were checked.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use wasmtime_wasi_http::Error;

use crate::grants::site::{Host, Site};
use crate::wasi::http::resolve::{Resolve, System};
use crate::wasi::http::{address, faults, tls};

/// To how many addresses of a name a connection is tried.
const MOST_ADDRESSES: usize = 8;

/// The sites that may be reached, and how.
pub(super) struct Net {
    sites: Arc<[Site]>,
    /// Whether anything is sent at all.
    sends: bool,
    resolver: Arc<dyn Resolve>,
}

/// A connection, with TLS or without.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Net {
    pub(super) fn new(sites: Arc<[Site]>, sends: bool) -> Self {
        Self { sites, sends, resolver: Arc::new(System) }
    }

    pub(super) fn is_granted(&self, site: &Site) -> bool {
        self.sends && self.sites.contains(site)
    }

    /// Connects to a site that is granted.
    pub(super) async fn connect(&self, site: &Site) -> Result<Box<dyn Stream>, Error> {
        let stream = self.reach(site).await?;
        match site.tls {
            true => Ok(Box::new(tls::secure(stream, &site.host).await?)),
            false => Ok(Box::new(stream)),
        }
    }

    /// To an address that was checked, and never to what a second look-up would give.
    async fn reach(&self, site: &Site) -> Result<TcpStream, Error> {
        let mut fault = Error::DestinationNotFound;
        for address in self.addresses(site).await?.into_iter().take(MOST_ADDRESSES) {
            match TcpStream::connect(SocketAddr::new(address, site.port)).await {
                Ok(stream) => return Ok(stream),
                Err(error) => fault = faults::of_connecting(&error),
            }
        }
        Err(fault)
    }

    /// All addresses of a site. One that may not be reached is one too many: whoever gives it out means harm.
    async fn addresses(&self, site: &Site) -> Result<Vec<IpAddr>, Error> {
        let addresses = match &site.host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => {
                let found = self.resolver.addresses(name).await;
                found.map_err(|error| Error::DnsError { rcode: Some(error.to_string()), info_code: None })?
            }
        };
        let all = addresses.iter().all(|address| self.may_reach(site, *address));
        if all { Ok(addresses) } else { Err(Error::DestinationIpProhibited) }
    }

    /// Whether it is on the open internet, or granted by itself, or this machine where that is what is granted.
    fn may_reach(&self, site: &Site, address: IpAddr) -> bool {
        let itself = Site { tls: site.tls, host: Host::Address(address), port: site.port };
        let is_local = matches!(&site.host, Host::Name(name) if name == "localhost") && address.is_loopback();
        address::is_public(address) || is_local || self.is_granted(&itself)
    }
}

#[cfg(test)]
mod tests;
