(component
  (core module $m
    (memory 1)
    (table $t 1 funcref)
    (func $start
      (drop (memory.grow (i32.const 1000)))
      (drop (table.grow $t (ref.null func) (i32.const 50000))))
    (start $start)
    (func (export "f") (result i32) i32.const 0))
  (core instance $c (instantiate $m))
  (func $f (result u32) (canon lift (core func $c "f")))
  (instance $gate (export "decide" (func $f)))
  (export "seam:harness/tool-call@0.1.0" (instance $gate)))
