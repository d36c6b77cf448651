;; export seam:harness/tool-call@0.1.0;
;; Says that the room for the call is beyond its memory.
(func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 0x7fff_fff0))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32) unreachable)
