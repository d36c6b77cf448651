;; import test:part/things@0.1.0; export test:part/keeper@0.1.0;
;; Is lent a thing for the time of a call, and keeps it.
(func (export "test:part/keeper@0.1.0#keep") (param $lent i32))
