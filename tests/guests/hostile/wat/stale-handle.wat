;; import wasi:io/poll@0.2.0; import wasi:clocks/monotonic-clock@0.2.0; export seam:harness/tool-call@0.1.0;
;; Gives a timer back and uses it once more.
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $timer (param i64) (result i32)))
(import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32)))
(import "wasi:io/poll@0.2.0" "[resource-drop]pollable" (func $drop (param i32)))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32) (local $timer i32)
  (local.set $timer (call $timer (i64.const 1)))
  (call $drop (local.get $timer))
  (call $block (local.get $timer))
  (i32.store8 (i32.const 16) (i32.const 2))
  (i32.const 16))
