package telegram

import "strings"

// Attachment is what comes with a message besides its words.
type Attachment struct {
	Kind     string // the member's name in the Bot API: photo, document, voice, location …
	FileID   string // for getFile, by this bot only; "" = no file
	FileName string // as the sender's app says
	MIME     string // as the sender's app says
	Size     int64  // bytes; 0 = not said
	Detail   string // what can be told in words: coordinates, a venue's name, a poll's question, an emoji
}

// contents is every kind of attachment. What an older kind is also given as, for old readers, is left
// out: each is one thing (Bot API, Message: "for backward compatibility … will also be set").
var contents = []struct {
	kind   string
	hidden []string // by this kind, if it is there too
	detail []string // members that describe it
}{
	{kind: "animation"},
	{kind: "document", hidden: []string{"animation"}},
	{kind: "live_photo"},
	{kind: "photo", hidden: []string{"live_photo"}},
	{kind: "video"},
	{kind: "video_note"},
	{kind: "voice"},
	{kind: "audio", detail: []string{"performer", "title"}},
	{kind: "sticker", detail: []string{"emoji"}},
	{kind: "venue", detail: []string{"title", "address"}},
	{kind: "location", hidden: []string{"venue"}, detail: []string{"latitude", "longitude"}},
	{kind: "paid_media"},
	{kind: "story"},
	{kind: "poll", detail: []string{"question"}},
	{kind: "checklist", detail: []string{"title"}},
	{kind: "dice", detail: []string{"emoji"}},
	{kind: "game", detail: []string{"title"}},
	{kind: "invoice", detail: []string{"title"}},
	{kind: "giveaway"},
	{kind: "giveaway_winners"},
	{kind: "rich_message"},
}

func attachments(o object) []Attachment {
	var found []Attachment
	for _, c := range contents {
		content := o.at(c.kind)
		if c.kind == "photo" {
			content = largest(o[c.kind])
		}
		if content == nil || o.at(c.hidden...) != nil {
			continue
		}
		found = append(found, Attachment{
			Kind:     c.kind,
			FileID:   content.text("file_id"),
			FileName: content.text("file_name"),
			MIME:     content.text("mime_type"),
			Size:     max(content.integer("file_size"), 0),
			Detail:   detail(content, c.detail),
		})
	}
	return found
}

func detail(content object, names []string) string {
	var parts []string
	for _, name := range names {
		if part := content.scalar(name); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// largest gives the biggest of a photo's sizes, which are one photo; nil if there is none.
func largest(sizes []byte) object {
	var best object
	var most float64
	for raw := range elements(sizes) {
		size := open(raw)
		area := float64(size.integer("width")) * float64(size.integer("height"))
		if size != nil && (best == nil || area >= most) {
			best, most = size, area
		}
	}
	return best
}

// services is every kind of service message. web_app_data is one by the documentation; but what comes in
// it is what a person did in a form of the tenant's, so it is read as their words.
var services = []string{
	"new_chat_members", "left_chat_member", "chat_owner_left", "chat_owner_changed",
	"new_chat_title", "new_chat_photo", "delete_chat_photo",
	"group_chat_created", "supergroup_chat_created", "channel_chat_created",
	"message_auto_delete_timer_changed", "migrate_to_chat_id", "migrate_from_chat_id", "pinned_message",
	"successful_payment", "refunded_payment",
	"users_shared", "user_shared", "chat_shared",
	"gift", "unique_gift", "gift_upgrade_sent",
	"connected_website", "write_access_allowed", "passport_data", "proximity_alert_triggered",
	"boost_added", "chat_background_set", "checklist_tasks_done", "checklist_tasks_added",
	"direct_message_price_changed", "paid_message_price_changed",
	"forum_topic_created", "forum_topic_edited", "forum_topic_closed", "forum_topic_reopened",
	"general_forum_topic_hidden", "general_forum_topic_unhidden",
	"giveaway_created", "giveaway_completed", "managed_bot_created",
	"poll_option_added", "poll_option_deleted",
	"suggested_post_approved", "suggested_post_approval_failed", "suggested_post_declined",
	"suggested_post_paid", "suggested_post_refunded",
	"video_chat_scheduled", "video_chat_started", "video_chat_ended", "video_chat_participants_invited",
	"voice_chat_scheduled", "voice_chat_started", "voice_chat_ended", "voice_chat_participants_invited",
	"community_chat_added", "community_chat_joined", "community_chat_removed",
}

func service(o object) string {
	for _, name := range services {
		if o.has(name) {
			return name
		}
	}
	return ""
}
