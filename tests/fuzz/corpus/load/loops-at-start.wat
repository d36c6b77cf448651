(component
  (core module $m
    (func $start (loop $l (br $l)))
    (start $start)
    (func (export "f") (result i32) i32.const 0))
  (core instance $c (instantiate $m))
  (func $f (result u32) (canon lift (core func $c "f")))
  (instance $gate (export "decide" (func $f)))
  (export "seam:harness/tool-call@0.1.0" (instance $gate)))
