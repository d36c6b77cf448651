;; export seam:harness/tool-call@0.1.0;
;; Starts slowly: a hundred million steps. Then it has nothing against any call.
(func $start (local $steps i32)
  (local.set $steps (i32.const 100_000_000))
  (loop $again
    (local.set $steps (i32.sub (local.get $steps) (i32.const 1)))
    (br_if $again (local.get $steps))))
(start $start)
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32)
  (i32.store8 (i32.const 16) (i32.const 2))
  (i32.const 16))
