// A gate in Go; the result patch and the context edit of the same plugin are in the folders beside it. `cargo xtask
// test` puts them into the packages that seam-guest-generate makes, and stub.wat in the place of the system.
package export_seam_harness_tool_call

import (
	"strings"

	log "wit_component/seam_harness_log"
	seam "wit_component/seam_harness_tool_call"
)

const language = "go"

var called = false

func Decide(event seam.Event) seam.Verdict {
	if !called {
		log.Write(log.LevelInfo, language+" gate")
		called = true
	}
	holds := func(part string) bool { return strings.Contains(event.Call.Arguments, part) }
	switch {
	case holds("crash-gate"):
		panic("the gate crashes")
	case holds("forbidden"):
		return seam.MakeVerdictBlock(seam.Refusal{Reason: language + " says no"})
	case holds("ask-me"):
		return seam.MakeVerdictAsk(language + " asks")
	case holds("wrong-shape"):
		panic("Go has no wrong shape")
	case holds("no-answer"):
		return seam.Verdict{}
	}
	return seam.MakeVerdictProceed()
}
