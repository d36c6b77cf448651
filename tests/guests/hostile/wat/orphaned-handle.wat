;; import wasi:cli/stdout@0.2.0; import wasi:io/streams@0.2.0; export seam:harness/tool-call@0.1.0;
;; Gives a stream back while it keeps what hangs on it.
(import "wasi:cli/stdout@0.2.0" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.0" "[method]output-stream.subscribe" (func $subscribe (param i32) (result i32)))
(import "wasi:io/streams@0.2.0" "[resource-drop]output-stream" (func $drop (param i32)))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32) (local $stream i32)
  (local.set $stream (call $stdout))
  (drop (call $subscribe (local.get $stream)))
  (call $drop (local.get $stream))
  (i32.store8 (i32.const 16) (i32.const 2))
  (i32.const 16))
