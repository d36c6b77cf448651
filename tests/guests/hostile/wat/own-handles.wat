;; export seam:harness/tool-call@0.1.0; export test:part/things@0.1.0;
;; Makes things of its own without end: the host keeps a note of each.
(import "[export]test:part/things@0.1.0" "[resource-new]thing" (func $new (param i32) (result i32)))
(func (export "test:part/things@0.1.0#[constructor]thing") (result i32) (call $new (i32.const 0)))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32)
  (loop $more
    (drop (call $new (i32.const 0)))
    (br $more))
  unreachable)
