//! Bytes into the loader and the audit.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| (seam_tests::fuzz::LOAD.check)(input));
