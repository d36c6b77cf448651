(component
  (instance $i)
  (export "seam:harness/tool-call@0.2.0" (instance $i))
  (export "seam:harness/input@0.1.0-draft" (instance $i))
  (export "seam:harness/tool-cal" (instance $i)))
