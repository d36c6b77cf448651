;; import wasi:clocks/monotonic-clock@0.2.0; export seam:harness/tool-call@0.1.0;
;; Asks for 75 timers in each call and gives none back. It has nothing against the call.
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $timer (param i64) (result i32)))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32) (local $left i32)
  (local.set $left (i32.const 75))
  (loop $more
    (drop (call $timer (i64.const 1_000_000)))
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (br_if $more (local.get $left)))
  (i32.store8 (i32.const 16) (i32.const 2))
  (i32.const 16))
