;; import test:part/things@0.1.0; import test:part/keeper@0.1.0; export seam:harness/get-api-key@0.1.0;
;; Lends a thing to a part that keeps it.
(import "test:part/things@0.1.0" "[constructor]thing" (func $new (result i32)))
(import "test:part/keeper@0.1.0" "keep" (func $lend (param i32)))
(func (export "seam:harness/get-api-key@0.1.0#get") (param i32 i32) (result i32)
  (call $lend (call $new))
  (i32.const 16))
