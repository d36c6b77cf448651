;; import seam:harness/log@0.1.0; export seam:harness/tool-call@0.1.0;
;; While it starts it writes a note of 30 MiB, again and again.
(import "seam:harness/log@0.1.0" "write" (func $note (param i32 i32 i32)))
(func (export "_initialize")
  (drop (memory.grow (i32.const 500)))
  (loop $again
    (call $note (i32.const 0) (i32.const 0) (i32.const 31_457_280))
    (br $again)))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32) unreachable)
