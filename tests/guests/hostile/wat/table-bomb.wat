;; export seam:harness/tool-call@0.1.0;
;; Lets a table grow as far as it goes, and then asks for more without end.
(table $table 1 funcref)
(func (export "seam:harness/tool-call@0.1.0#decide") (param $event i32) (result i32)
  (loop $more
    (drop (table.grow $table (ref.null func) (i32.const 1000)))
    (br $more))
  unreachable)
