;; import wasi:io/poll@0.2.0; import wasi:clocks/monotonic-clock@0.2.0; export seam:harness/tool-call@0.1.0;
;; Sleeps for an hour in the host.
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $timer (param i64) (result i32)))
(import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32)))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32)
  (call $block (call $timer (i64.const 3_600_000_000_000)))
  (i32.store8 (i32.const 16) (i32.const 2))
  (i32.const 16))
