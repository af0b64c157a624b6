package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sverka/internal/sandbox"
)

// private is a private message with any content.
func private(update, id, user int64, content string) string {
	return fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"from":{"id":%d,"is_bot":false,"first_name":"Анна"},"chat":{"id":%d,"type":"private"},"date":1764590000,%s}}`,
		update, id, user, user, content)
}

// told is what the CRM was told: kind and one field of each object, in order.
func (s *stand) told(bot int, field string) []string {
	s.t.Helper()
	var all []string
	for _, o := range s.ledger(bot).Objects {
		all = append(all, strings.TrimSpace(o.Kind+" "+fmt.Sprint(o.Fields[field])))
	}
	return all
}

func (s *stand) wantTold(bot int, field string, want ...string) {
	s.t.Helper()
	if got := s.told(bot, field); !slices.Equal(got, want) {
		s.t.Errorf("the CRM was told %s:\n%q\nwant\n%q", field, got, want)
	}
}

func TestAStartPayloadTravelsInItsOwnField(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.deliver(upsert, private(1, 1, 501, `"text":"/start ad_42"`))
	s.untilQuiet()
	s.wantTold(upsert, "start_payload", "lead ad_42")
	s.wantTold(upsert, "text", "lead /start ad_42")
}

func TestACaptionAndAnAttachmentAreWhatWasSaid(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.deliver(upsert, private(1, 1, 501, `"photo":[{"file_id":"a","width":90,"height":90}],"caption":"Вот такой"`))
	s.deliver(upsert, private(2, 2, 501, `"document":{"file_id":"b","file_name":"смета.pdf"}`))
	s.deliver(upsert, private(3, 3, 501, `"location":{"latitude":55.75,"longitude":37.62}`))
	s.untilQuiet()
	s.wantTold(upsert, "text", "lead Вот такой\n[photo]", "note [document: смета.pdf]", "note [location: 55.75, 37.62]")
}

func TestAnAlbumIsOneRecordHoweverItsPartsArrive(t *testing.T) {
	t.Parallel()
	part := func(n int64, caption string) string {
		return private(n, n, 501, `"media_group_id":"777","photo":[{"file_id":"p","width":90,"height":90}]`+caption)
	}
	for name, c := range map[string]struct {
		captionOn int64
		want      []string
	}{
		"caption on the first": {1, []string{"lead Три фото\n[photo]"}},
		"caption on a later":   {3, []string{"lead [photo]", "note Три фото\n[photo]"}},
		"no caption":           {0, []string{"lead [photo]"}},
	} {
		s := newStand(t, sandbox.CRMOptions{})
		s.work()
		for n := range int64(4) {
			caption := ""
			if n+1 == c.captionOn {
				caption = `,"caption":"Три фото"`
			}
			s.deliver(upsert, part(n+1, caption))
		}
		s.untilQuiet()
		if got := s.told(upsert, "text"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestSomebodyElsesContactIsNotTheSendersPhone(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	s.deliver(upsert, private(1, 1, 501, `"contact":{"phone_number":"+79991234567","first_name":"Борис","user_id":999}`))
	s.untilQuiet()
	if o := s.ledger(upsert).Objects[0]; o.Fields["phone"] != nil || !strings.Contains(fmt.Sprint(o.Fields["text"]), "Борис +79991234567") {
		t.Errorf("the CRM was told %v", o.Fields)
	}
	if n := s.count(`SELECT count(*) FROM contact_identities WHERE kind = 'phone'`); n != 0 {
		t.Errorf("%d phones were taken for the sender's", n)
	}
}

func TestWhatNobodySaidMakesNoLead(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.work()
	for k, update := range []string{
		`"edited_message":{"message_id":1,"from":{"id":5,"is_bot":false,"first_name":"A"},"chat":{"id":5,"type":"private"},"date":1,"edit_date":2,"text":"x"}`,
		`"message":{"message_id":2,"from":{"id":5,"is_bot":false,"first_name":"A"},"chat":{"id":-5,"type":"group"},"date":1,"text":"x"}`,
		`"message":{"message_id":3,"from":{"id":6,"is_bot":true,"first_name":"B"},"chat":{"id":6,"type":"private"},"date":1,"text":"x"}`,
		`"callback_query":{"id":"1","from":{"id":5,"is_bot":false,"first_name":"A"},"data":"x"}`,
		`"my_chat_member":{"chat":{"id":5,"type":"private"},"from":{"id":5,"is_bot":false,"first_name":"A"},"date":1}`,
	} {
		s.deliver(keyed, fmt.Sprintf(`{"update_id":%d,%s}`, 100+k, update))
	}
	s.untilQuiet()
	reasons := map[string]int{}
	for _, line := range s.lineages() {
		reasons[words(string(line.Event.State), line.Event.Reason)]++
	}
	want := map[string]int{"ignored edited_message": 1, "ignored not_private": 1, "ignored from_bot": 1, "ignored callback_query": 1, "ignored my_chat_member": 1}
	if fmt.Sprint(reasons) != fmt.Sprint(want) || s.count(`SELECT count(*) FROM operations`) != 0 {
		t.Errorf("%v, want %v", reasons, want)
	}
}

func TestOneSourceWithTwoRoutesGivesEachConnectionItsOwn(t *testing.T) {
	t.Parallel()
	s := newStand(t, sandbox.CRMOptions{})
	s.exec(`INSERT INTO routes (tenant_id, id, source, source_id, connection_id)
		SELECT r.tenant_id, gen_random_uuid(), r.source, b.id, r.connection_id FROM routes r, bots b
		WHERE b.user_id = 7000000001 AND r.source_id <> b.id`)
	s.work()
	s.deliver(keyed, message(1, 1, 501, "в три CRM"))
	s.deliver(keyed, message(2, 2, 501, "и ещё"))
	s.untilQuiet()
	for bot := range 3 {
		s.wantTold(bot, "text", "lead в три CRM", "note и ещё")
	}
}
