;; import wasi:random/random@0.2.0; export seam:harness/tool-call@0.1.0;
;; Has the host make 60 MB of random bytes.
(import "wasi:random/random@0.2.0" "get-random-bytes" (func $random (param i64 i32)))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32)
  (call $random (i64.const 60_000_000) (i32.const 32))
  (i32.store8 (i32.const 16) (i32.const 2))
  (i32.const 16))
