(component
  (import "wasi:http/outgoing-handler@0.2.4" (instance (export "handle" (func))))
  (import "wasi:random/random@0.2.3" (instance (export "get-random-u64" (func (result u64)))))
  (import "wasi:cli/environment@0.2.0" (instance (export "get-environment" (func (result (list (tuple string string)))))))
  (import "acme:net/send@1.0.0" (instance (export "go" (func))))
  (import "seam:harness/log@0.1.0" (instance (export "flush" (func))))
  (instance $i)
  (export "acme:tools/run@1.0.0" (instance $i))
  (export "seam:harness/input@0.1.0" (instance $i)))
