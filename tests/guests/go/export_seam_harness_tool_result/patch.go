// The result patch.
package export_seam_harness_tool_result

import (
	"strings"

	seam "wit_component/seam_harness_tool_result"
	types "wit_component/seam_harness_types"
)

const language = "go"

func Review(event seam.Event) seam.Outcome {
	hidden, withheld := false, false
	content := []types.Content{}
	for _, piece := range event.Content {
		if piece.Tag() == types.ContentText {
			text := piece.Text()
			if strings.Contains(text, "crash-patch") {
				panic("the patch crashes")
			}
			withheld = withheld || strings.Contains(text, "withhold-me")
			hidden = hidden || strings.Contains(text, "SECRET")
			piece = types.MakeContentText(strings.ReplaceAll(text, "SECRET", "[hidden by "+language+"]"))
		}
		content = append(content, piece)
	}
	switch {
	case withheld:
		return seam.MakeOutcomeWithhold(language + " withholds")
	case hidden:
		return seam.MakeOutcomeChange([]seam.Change{seam.MakeChangeContent(content)})
	}
	return seam.MakeOutcomeKeep()
}
