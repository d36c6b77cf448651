;; import wasi:cli/stdout@0.2.0; import wasi:io/streams@0.2.0; export seam:harness/tool-call@0.1.0;
;; Prints without end.
(import "wasi:cli/stdout@0.2.0" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.0" "[method]output-stream.blocking-write-and-flush"
  (func $print (param i32 i32 i32 i32)))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32) (local $stream i32)
  (local.set $stream (call $stdout))
  (loop $more
    (call $print (local.get $stream) (i32.const 0) (i32.const 4096) (i32.const 32))
    (br $more))
  unreachable)
