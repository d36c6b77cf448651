//! Edits into a list of messages.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| (seam_tests::fuzz::EDITS.check)(input));
