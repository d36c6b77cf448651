;; export seam:harness/tool-call@0.1.0;
;; Would wait for ever on a memory that threads share: in an instruction, where no clock asks it.
(memory $shared 1 1 shared)
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32)
  (drop (memory.atomic.wait32 $shared (i32.const 0) (i32.const 0) (i64.const -1)))
  unreachable)
