;; export seam:harness/tool-result@0.1.0;
;; Answers with a list of four thousand million changes, which are not there.
(func (export "seam:harness/tool-result@0.1.0#review") (param $event i32) (result i32)
  (i32.store8 (i32.const 16) (i32.const 1))
  (i32.store (i32.const 20) (i32.const 1024))
  (i32.store (i32.const 24) (i32.const 0xffff_ffff))
  (i32.const 16))
