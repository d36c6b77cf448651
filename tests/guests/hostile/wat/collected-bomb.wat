;; export seam:harness/tool-call@0.1.0;
;; Would take memory that the engine collects, and that no limit on its own memory counts.
(type $array (array (mut i8)))
(type $list (struct (field (ref null $list)) (field (ref $array))))
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32) (local $all (ref null $list))
  (loop $more
    (local.set $all (struct.new $list (local.get $all) (array.new $array (i32.const 1) (i32.const 1_000_000))))
    (br $more))
  unreachable)
