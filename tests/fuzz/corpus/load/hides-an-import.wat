(component
  (component $inner
    (import "wasi:sockets/tcp@0.2.0" (instance $tcp (export "tcp-socket" (type (sub resource)))))
    (export "out" (instance $tcp)))
  (import "wasi:sockets/tcp@0.2.0" (instance $tcp (export "tcp-socket" (type (sub resource)))))
  (instance $hidden (instantiate $inner (with "wasi:sockets/tcp@0.2.0" (instance $tcp))))
  (import "plain" (func))
  (import "also" (type (sub resource)))
  (instance $i)
  (export "seam:harness/agent-start@0.1.0" (instance $i)))
