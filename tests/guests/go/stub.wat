;; The system that Go's runtime asks for, without a system: a module that imports nothing but the guest's memory and
;; takes the place of wasi_snapshot_preview1. No files, no arguments, no environment; what is printed goes nowhere; a
;; clock that moves when it is read or waited for; the same random numbers in every instance.
(module
  (import "env" "memory" (memory 0))
  (global $now (mut i64) (i64.const 0))
  (global $random (mut i64) (i64.const 1))

  ;; Two sizes, both 0.
  (func $nothing (param $count i32) (param $bytes i32) (result i32)
    (i32.store (local.get $count) (i32.const 0))
    (i32.store (local.get $bytes) (i32.const 0))
    (i32.const 0))
  (func $done (param i32 i32) (result i32) (i32.const 0))
  ;; 8 is `badf`: no file is open.
  (func $closed1 (param i32) (result i32) (i32.const 8))
  (func $closed2 (param i32 i32) (result i32) (i32.const 8))
  (func $closed3 (param i32 i32 i32) (result i32) (i32.const 8))

  (export "args_sizes_get" (func $nothing))
  (export "environ_sizes_get" (func $nothing))
  (export "args_get" (func $done))
  (export "environ_get" (func $done))
  (export "fd_close" (func $closed1))
  (export "fd_fdstat_get" (func $closed2))
  (export "fd_fdstat_set_flags" (func $closed2))
  (export "fd_prestat_get" (func $closed2))
  (export "fd_prestat_dir_name" (func $closed3))

  (func (export "sched_yield") (result i32) (i32.const 0))
  (func (export "proc_exit") (param i32) (unreachable))

  ;; Takes all of it. A runtime that cannot print why it panics would panic again, without end.
  (func (export "fd_write") (param $fd i32) (param $buffers i32) (param $count i32) (param $written i32) (result i32)
    (local $bytes i32)
    (block $end
      (loop $next
        (br_if $end (i32.eqz (local.get $count)))
        (local.set $bytes (i32.add (local.get $bytes) (i32.load offset=4 (local.get $buffers))))
        (local.set $buffers (i32.add (local.get $buffers) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (i32.store (local.get $written) (local.get $bytes))
    (i32.const 0))

  ;; One millisecond later each time.
  (func (export "clock_time_get") (param $clock i32) (param $precision i64) (param $time i32) (result i32)
    (global.set $now (i64.add (global.get $now) (i64.const 1000000)))
    (i64.store (local.get $time) (global.get $now))
    (i32.const 0))

  ;; Every wait is over at once: the clock moves by the time asked for. A file is never ready.
  (func (export "poll_oneoff") (param $asked i32) (param $told i32) (param $count i32) (param $events i32) (result i32)
    (i32.store (local.get $events) (local.get $count))
    (block $end
      (loop $next
        (br_if $end (i32.eqz (local.get $count)))
        ;; What the guest calls it, no error, its kind.
        (i64.store (local.get $told) (i64.load (local.get $asked)))
        (i32.store16 offset=8 (local.get $told) (i32.const 0))
        (i32.store8 offset=10 (local.get $told) (i32.load8_u offset=8 (local.get $asked)))
        (if (i32.load8_u offset=8 (local.get $asked))
          (then (i32.store16 offset=8 (local.get $told) (i32.const 8)))
          (else (global.set $now (i64.add (global.get $now) (i64.load offset=24 (local.get $asked))))))
        (local.set $asked (i32.add (local.get $asked) (i32.const 48)))
        (local.set $told (i32.add (local.get $told) (i32.const 32)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (i32.const 0))

  ;; An xorshift, one byte a step.
  (func (export "random_get") (param $at i32) (param $count i32) (result i32)
    (block $end
      (loop $next
        (br_if $end (i32.eqz (local.get $count)))
        (global.set $random (i64.xor (global.get $random) (i64.shl (global.get $random) (i64.const 13))))
        (global.set $random (i64.xor (global.get $random) (i64.shr_u (global.get $random) (i64.const 7))))
        (global.set $random (i64.xor (global.get $random) (i64.shl (global.get $random) (i64.const 17))))
        (i64.store8 (local.get $at) (global.get $random))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (i32.const 0)))
