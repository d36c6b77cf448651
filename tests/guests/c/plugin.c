// A gate, a result patch and a context edit in C: what every language must be able to do with the contract.
// `cargo xtask test` builds it: seam-guest-generate writes seam.h and seam.c, `zig cc` compiles them with this file.
#include <stdlib.h>
#include <string.h>

#include "seam.h"

#define LANGUAGE "c"
#define SECRET "SECRET"
#define HIDDEN "[hidden by " LANGUAGE "]"
// The most entries that one call of `outline` gives.
#define PAGE 4096

typedef seam_harness_types_content_t content;
typedef exports_seam_harness_tool_call_event_t call_event;
typedef exports_seam_harness_tool_call_verdict_t verdict;
typedef exports_seam_harness_tool_result_event_t result_event;
typedef exports_seam_harness_tool_result_outcome_t outcome;
typedef exports_seam_harness_transform_context_event_t context_event;
typedef exports_seam_harness_transform_context_list_edit_t edits;

// Where `part` first stands in `text`; NULL when it does not. The texts of the contract end with no NUL.
static const uint8_t *find(seam_string_t text, const char *part) {
  size_t length = strlen(part);
  for (size_t at = 0; at + length <= text.len; at++) {
    if (memcmp(text.ptr + at, part, length) == 0) return text.ptr + at;
  }
  return NULL;
}

static bool holds(seam_string_t text, const char *part) {
  return find(text, part) != NULL;
}

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes);
  if (memory == NULL) abort();
  return memory;
}

// The gate. It owns its event, and frees it.
void exports_seam_harness_tool_call_decide(call_event *event, verdict *ret) {
  static bool called = false;
  if (!called) {
    seam_string_t note;
    seam_string_set(&note, LANGUAGE " gate");
    seam_harness_log_write(SEAM_HARNESS_LOG_LEVEL_INFO, &note);
    called = true;
  }
  seam_string_t arguments = event->call.arguments;
  if (holds(arguments, "crash-gate")) abort();
  if (holds(arguments, "forbidden")) {
    ret->tag = EXPORTS_SEAM_HARNESS_TOOL_CALL_VERDICT_BLOCK;
    seam_string_dup(&ret->val.block.reason, LANGUAGE " says no");
    ret->val.block.terminate = false;
  } else if (holds(arguments, "ask-me")) {
    ret->tag = EXPORTS_SEAM_HARNESS_TOOL_CALL_VERDICT_ASK;
    seam_string_dup(&ret->val.ask, LANGUAGE " asks");
  } else if (holds(arguments, "wrong-shape")) {
    ret->tag = 77;
  } else if (!holds(arguments, "no-answer")) {
    ret->tag = EXPORTS_SEAM_HARNESS_TOOL_CALL_VERDICT_PROCEED;
  }
  exports_seam_harness_tool_call_event_free(event);
}

// Replaces every secret in a text; false when there is none.
static bool hide(seam_string_t *text) {
  size_t found = 0;
  seam_string_t rest = *text;
  for (const uint8_t *at; (at = find(rest, SECRET)) != NULL; found++) {
    rest.len -= (size_t)(at - rest.ptr) + strlen(SECRET);
    rest.ptr = (uint8_t *)at + strlen(SECRET);
  }
  if (found == 0) return false;
  seam_string_t hidden = {allocate(text->len + found * strlen(HIDDEN)), 0};
  rest = *text;
  while (rest.len > 0) {
    const uint8_t *at = find(rest, SECRET);
    size_t kept = at == NULL ? rest.len : (size_t)(at - rest.ptr);
    memcpy(hidden.ptr + hidden.len, rest.ptr, kept);
    hidden.len += kept;
    size_t taken = kept;
    if (at != NULL) {
      memcpy(hidden.ptr + hidden.len, HIDDEN, strlen(HIDDEN));
      hidden.len += strlen(HIDDEN);
      taken += strlen(SECRET);
    }
    rest.ptr += taken;
    rest.len -= taken;
  }
  seam_string_free(text);
  *text = hidden;
  return true;
}

// The result patch.
void exports_seam_harness_tool_result_review(result_event *event, outcome *ret) {
  bool hidden = false, withheld = false;
  for (size_t i = 0; i < event->content.len; i++) {
    content *piece = &event->content.ptr[i];
    if (piece->tag != SEAM_HARNESS_TYPES_CONTENT_TEXT) continue;
    if (holds(piece->val.text, "crash-patch")) abort();
    withheld |= holds(piece->val.text, "withhold-me");
    hidden |= hide(&piece->val.text);
  }
  if (withheld) {
    ret->tag = EXPORTS_SEAM_HARNESS_TOOL_RESULT_OUTCOME_WITHHOLD;
    seam_string_dup(&ret->val.withhold, LANGUAGE " withholds");
  } else if (hidden) {
    ret->tag = EXPORTS_SEAM_HARNESS_TOOL_RESULT_OUTCOME_CHANGE;
    ret->val.change.len = 1;
    ret->val.change.ptr = allocate(sizeof(*ret->val.change.ptr));
    ret->val.change.ptr[0].tag = EXPORTS_SEAM_HARNESS_TOOL_RESULT_CHANGE_CONTENT;
    // The content moves into the answer, so the event has none left to free.
    ret->val.change.ptr[0].val.content = event->content;
    event->content.len = 0;
  } else {
    ret->tag = EXPORTS_SEAM_HARNESS_TOOL_RESULT_OUTCOME_KEEP;
  }
  exports_seam_harness_tool_result_event_free(event);
}

static bool any_holds(seam_harness_types_list_content_t list, const char *part) {
  for (size_t i = 0; i < list.len; i++) {
    if (list.ptr[i].tag == SEAM_HARNESS_TYPES_CONTENT_TEXT && holds(list.ptr[i].val.text, part)) return true;
  }
  return false;
}

// Whether a text of the message holds `part`.
static bool says(const seam_harness_types_message_t *message, const char *part) {
  switch (message->tag) {
    case SEAM_HARNESS_TYPES_MESSAGE_USER:
      return any_holds(message->val.user.content, part);
    case SEAM_HARNESS_TYPES_MESSAGE_TOOL:
      return any_holds(message->val.tool.content, part);
    case SEAM_HARNESS_TYPES_MESSAGE_CUSTOM:
      return any_holds(message->val.custom.content, part);
  }
  for (size_t i = 0; i < message->val.assistant.content.len; i++) {
    const seam_harness_types_block_t *block = &message->val.assistant.content.ptr[i];
    if (block->tag == SEAM_HARNESS_TYPES_BLOCK_TEXT && holds(block->val.text, part)) return true;
  }
  return false;
}

// A message of the user at the end of the list.
static void mark(edits *ret, uint32_t end) {
  seam_harness_types_edit_t *edit = &ret->ptr[ret->len++];
  edit->tag = SEAM_HARNESS_TYPES_EDIT_INSERT;
  edit->val.insert.index = end;
  edit->val.insert.message.tag = SEAM_HARNESS_TYPES_MESSAGE_USER;
  seam_harness_types_user_message_t *user = &edit->val.insert.message.val.user;
  user->timestamp = 0;
  user->content.len = 1;
  user->content.ptr = allocate(sizeof(content));
  user->content.ptr[0].tag = SEAM_HARNESS_TYPES_CONTENT_TEXT;
  seam_string_dup(&user->content.ptr[0].val.text, "seen by " LANGUAGE);
}

// The context edit: sizes first, then the messages that say something.
void exports_seam_harness_transform_context_transform(context_event *event, edits *ret) {
  bool marked = false;
  ret->len = 0;
  ret->ptr = allocate((event->length + 1) * sizeof(*ret->ptr));
  for (uint32_t start = 0; start < event->length; start += PAGE) {
    seam_harness_conversation_list_outline_entry_t outline;
    seam_harness_conversation_outline(start, event->length, &outline);
    for (uint32_t i = 0; i < outline.len; i++) {
      seam_harness_types_message_t message;
      if (outline.ptr[i].bytes == 0 || !seam_harness_conversation_get(start + i, &message)) continue;
      if (says(&message, "crash-context")) abort();
      marked |= says(&message, "mark-me");
      if (outline.ptr[i].kind == SEAM_HARNESS_CONVERSATION_KIND_TOOL && says(&message, "stale")) {
        seam_harness_types_edit_t *edit = &ret->ptr[ret->len++];
        edit->tag = SEAM_HARNESS_TYPES_EDIT_DROP_RANGE;
        edit->val.drop_range = (seam_harness_types_range_t){start + i, start + i + 1};
      }
      seam_harness_types_message_free(&message);
    }
    seam_harness_conversation_list_outline_entry_free(&outline);
  }
  if (marked) mark(ret, event->length);
  // An empty list is never freed after the call.
  if (ret->len == 0) free(ret->ptr);
  exports_seam_harness_transform_context_event_free(event);
}
