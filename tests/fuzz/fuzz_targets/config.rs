//! Text into the settings.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| (seam_tests::fuzz::CONFIG.check)(input));
