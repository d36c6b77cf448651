;; export seam:harness/tool-call@0.1.0;
;; Says that its answer lies where it has no memory.
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32) (i32.const 0x7fff_fff0))
