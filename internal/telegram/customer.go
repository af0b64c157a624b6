package telegram

// The reasons that are not simply the type of the update.
const (
	ReasonUnknownType    = "unknown_type"    // a content we do not know
	ReasonMalformed      = "malformed"       // a message that is no object, or of no chat
	ReasonNotPrivate     = "not_private"     // said in a group or channel
	ReasonNoSender       = "no_sender"       // nobody said it, or a chat did
	ReasonFromBot        = "from_bot"        // a contact made of a bot would answer forever
	ReasonServiceMessage = "service_message" // something happened; nobody said anything
	ReasonNoContent      = "no_content"      // nothing in it that we know
)

// Reasons is every reason that Customer can give: ours, then the types of updates.
var Reasons = reasons()

func reasons() []string {
	all := []string{
		ReasonUnknownType, ReasonMalformed, ReasonNotPrivate, ReasonNoSender,
		ReasonFromBot, ReasonServiceMessage, ReasonNoContent,
	}
	for _, s := range shapes {
		if s.name != "message" {
			all = append(all, s.name)
		}
	}
	return all
}

// Customer gives the message if a person says something to the bot in a private chat: a text, a caption,
// a contact, /start, an attachment, or data from a Mini App. Otherwise it gives nil and a reason, one of Reasons.
//
// Messages to a connected business account are a reason too (business_message): their chats have a
// number space of their own, and who wrote, customer or owner, is another question.
func (u Update) Customer() (msg *Message, reason string) {
	switch m := u.Message; {
	case u.Type == Unknown || u.Type == "": // or none was read
		return nil, ReasonUnknownType
	case u.Type != "message":
		return nil, u.Type
	case m == nil || m.ChatID == 0:
		return nil, ReasonMalformed
	case m.ChatType != private:
		return nil, ReasonNotPrivate
	case u.Sender == nil:
		return nil, ReasonNoSender
	case u.Sender.IsBot:
		return nil, ReasonFromBot
	case m.Service != "":
		return nil, ReasonServiceMessage
	case m.Text == "" && m.Contact == nil && len(m.Attachments) == 0:
		return nil, ReasonNoContent
	default:
		return m, ""
	}
}
