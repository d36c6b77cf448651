;; import wasi:clocks/monotonic-clock@0.2.0; import wasi:io/streams@0.2.0; export seam:harness/tool-call@0.1.0;
;; Uses a timer as if it were a stream.
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $timer (param i64) (result i32)))
(import "wasi:io/streams@0.2.0" "[method]output-stream.subscribe" (func $subscribe (param i32) (result i32)))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32)
  (drop (call $subscribe (call $timer (i64.const 1))))
  (i32.store8 (i32.const 16) (i32.const 2))
  (i32.const 16))
