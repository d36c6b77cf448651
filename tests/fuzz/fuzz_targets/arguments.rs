//! Arguments into the dispatcher.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| (seam_tests::fuzz::ARGUMENTS.check)(input));
