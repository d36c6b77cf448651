;; export seam:harness/tool-result@0.1.0;
;; Answers with 1,000 changes, all of which are one text of 1 MiB: a GiB for the host, a MiB for the guest.
(func (export "seam:harness/tool-result@0.1.0#review") (param $event i32) (result i32) (local $at i32)
  (drop (memory.grow (i32.const 20)))
  ;; Each change: details, this text.
  (local.set $at (i32.const 1024))
  (loop $more
    (i32.store8 (local.get $at) (i32.const 1))
    (i32.store offset=8 (local.get $at) (i32.const 65536))
    (i32.store offset=12 (local.get $at) (i32.const 1_048_576))
    (local.set $at (i32.add (local.get $at) (i32.const 32)))
    (br_if $more (i32.lt_u (local.get $at) (i32.const 33024))))
  (memory.fill (i32.const 65536) (i32.const 0x20) (i32.const 1_048_576))
  (i32.store8 (i32.const 16) (i32.const 1))
  (i32.store (i32.const 20) (i32.const 1024))
  (i32.store (i32.const 24) (i32.const 1000))
  (i32.const 16))
