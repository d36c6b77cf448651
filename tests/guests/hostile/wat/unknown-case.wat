;; export seam:harness/tool-call@0.1.0;
;; Answers with a verdict that there is not: the 200th case of three.
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32)
  (i32.store8 (i32.const 16) (i32.const 200))
  (i32.const 16))
