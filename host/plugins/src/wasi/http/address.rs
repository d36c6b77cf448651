//! Which addresses are on the open internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Blocks of IPv4 that are not: the first address, and how many bits it has in common with all of them.
const V4: [([u8; 4], u32); 16] = [
    ([0, 0, 0, 0], 8),          // this host
    ([10, 0, 0, 0], 8),         // private
    ([100, 64, 0, 0], 10),      // shared by the customers of a provider
    ([127, 0, 0, 0], 8),        // loopback
    ([169, 254, 0, 0], 16),     // link-local; the metadata of a cloud machine
    ([172, 16, 0, 0], 12),      // private
    ([192, 0, 0, 0], 24),       // protocols
    ([192, 0, 2, 0], 24),       // documentation
    ([192, 88, 99, 0], 24),     // relays of 6to4
    ([192, 168, 0, 0], 16),     // private
    ([198, 18, 0, 0], 15),      // benchmarks
    ([198, 51, 100, 0], 24),    // documentation
    ([203, 0, 113, 0], 24),     // documentation
    ([224, 0, 0, 0], 4),        // multicast
    ([240, 0, 0, 0], 4),        // reserved
    ([255, 255, 255, 255], 32), // broadcast
];

/// The same of IPv6, of what lies in 2000::/3. All that does not is no address of the open internet: loopback, private,
/// link-local, multicast, and those that hold an IPv4 address.
const V6: [([u16; 8], u32); 4] = [
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),     // protocols, such as Teredo, and benchmarks
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), // documentation
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),     // 6to4: holds an IPv4 address
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),     // documentation
];

/// Whether anyone on the internet means the same host by it.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !V4.iter().any(|(first, bits)| {
            let first = Ipv4Addr::from(*first).to_bits();
            (first ^ address.to_bits()).leading_zeros() >= *bits
        }),
        IpAddr::V6(address) => {
            let is_global = address.segments()[0] & 0xe000 == 0x2000;
            is_global
                && !V6.iter().any(|(first, bits)| {
                    let first = Ipv6Addr::from(*first).to_bits();
                    (first ^ address.to_bits()).leading_zeros() >= *bits
                })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn what_is_not_on_the_open_internet_is_told_apart() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "64:ff9b::7f00:1",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn all_else_is() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2600::1",
            "2a00:1450::1",
            "3fff:1000::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
