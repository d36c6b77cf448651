// The context edit.
package export_seam_harness_transform_context

import (
	"strings"

	conversation "wit_component/seam_harness_conversation"
	seam "wit_component/seam_harness_transform_context"
	types "wit_component/seam_harness_types"
)

const language = "go"

func Transform(event seam.Event) []seam.Edit {
	edits := []seam.Edit{}
	marked := false
	for start := uint32(0); start < event.Length; {
		// Sizes first, then the messages that say something. An outline has a limit, so there may be more than one.
		outline := conversation.Outline(start, event.Length)
		for place, entry := range outline {
			if entry.Bytes == 0 {
				continue
			}
			index := start + uint32(place)
			message := conversation.Get(index).Some()
			if says(message, "crash-context") {
				panic("the context edit crashes")
			}
			marked = marked || says(message, "mark-me")
			if entry.Kind == conversation.KindTool && says(message, "stale") {
				edits = append(edits, types.MakeEditDropRange(types.Range{Start: index, End: index + 1}))
			}
		}
		start += uint32(len(outline))
	}
	if marked {
		seen := types.UserMessage{Content: []types.Content{types.MakeContentText("seen by " + language)}}
		placed := types.Placed{Index: event.Length, Message: types.MakeMessageUser(seen)}
		edits = append(edits, types.MakeEditInsert(placed))
	}
	return edits
}

// Whether a text of the message holds a part.
func says(message types.Message, part string) bool {
	switch message.Tag() {
	case types.MessageUser:
		return anyHolds(message.User().Content, part)
	case types.MessageTool:
		return anyHolds(message.Tool().Content, part)
	case types.MessageCustom:
		return anyHolds(message.Custom().Content, part)
	}
	for _, block := range message.Assistant().Content {
		if block.Tag() == types.BlockText && strings.Contains(block.Text(), part) {
			return true
		}
	}
	return false
}

func anyHolds(content []types.Content, part string) bool {
	for _, piece := range content {
		if piece.Tag() == types.ContentText && strings.Contains(piece.Text(), part) {
			return true
		}
	}
	return false
}
