;; import wasi:io/poll@0.2.0; export seam:harness/tool-call@0.1.0;
;; Uses a handle that it was never given.
(import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32)))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32)
  (call $block (i32.const 77))
  (i32.store8 (i32.const 16) (i32.const 2))
  (i32.const 16))
