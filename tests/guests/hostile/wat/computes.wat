;; export seam:harness/tool-call@0.1.0;
;; Computes for longer than a tick of the clock, so that others get their turn, and has nothing against the call.
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32) (local $left i32)
  (local.set $left (i32.const 20_000_000))
  (loop $more
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (br_if $more (local.get $left)))
  (i32.store8 (i32.const 16) (i32.const 2))
  (i32.const 16))
