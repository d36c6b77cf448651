;; export seam:harness/tool-call@0.1.0;
;; Has nothing against any call.
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32)
  (i32.store8 (i32.const 16) (i32.const 2))
  (i32.const 16))
