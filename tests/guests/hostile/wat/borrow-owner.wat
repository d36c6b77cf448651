;; export test:part/things@0.1.0;
;; Makes things.
(import "[export]test:part/things@0.1.0" "[resource-new]thing" (func $new (param i32) (result i32)))
(func (export "test:part/things@0.1.0#[constructor]thing") (result i32) (call $new (i32.const 0)))
