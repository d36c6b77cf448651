;; export seam:harness/tool-call@0.1.0;
;; Refuses, for a reason that lies beyond its memory.
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32)
  (i32.store (i32.const 20) (i32.const 0x7fff_0000))
  (i32.store (i32.const 24) (i32.const 100))
  (i32.const 16))
