;; import wasi:cli/exit@0.2.0; export seam:harness/tool-call@0.1.0;
;; Ends the program it is in, successfully.
(import "wasi:cli/exit@0.2.0" "exit" (func $exit (param i32)))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32)
  (call $exit (i32.const 0))
  (i32.store8 (i32.const 16) (i32.const 2))
  (i32.const 16))
