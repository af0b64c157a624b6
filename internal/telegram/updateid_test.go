package telegram_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sverka/internal/telegram"
)

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

var bodies = map[string]struct {
	body string
	want int64 // 0 = not usable
}{
	"Plain":              {`{"update_id":5}`, 5},
	"AsTelegramSends":    {"{\"update_id\":727334708,\n\"message\":{\"message_id\":1}}", 727334708},
	"Last":               {`{"message":{"update_id":7},"update_id":8}`, 8},
	"White":              {" \r\n\t{ \"update_id\" \t:\n 5 , \"x\" : [ ] } \n", 5},
	"AboveInt32":         {`{"update_id":2342342343242}`, 2342342343242},
	"Greatest":           {`{"update_id":9007199254740992}`, 9007199254740992},
	"TooGreat":           {`{"update_id":9007199254740993}`, 0},
	"AboveInt64":         {`{"update_id":99999999999999999999}`, 0},
	"Zero":               {`{"update_id":0}`, 0},
	"MinusZero":          {`{"update_id":-0}`, 0},
	"Negative":           {`{"update_id":-1}`, 0},
	"Fraction":           {`{"update_id":1.0}`, 0},
	"Exponent":           {`{"update_id":1e3}`, 0},
	"Quoted":             {`{"update_id":"5"}`, 0},
	"Null":               {`{"update_id":null}`, 0},
	"True":               {`{"update_id":true}`, 0},
	"Array":              {`{"update_id":[5]}`, 0},
	"LeadingZero":        {`{"update_id":05}`, 0},
	"Missing":            {`{"message":{"update_id":5}}`, 0},
	"OtherCase":          {`{"Update_ID":5}`, 0},
	"Empty":              {`{}`, 0},
	"Twice":              {`{"update_id":5,"update_id":5}`, 0},
	"TwiceOneNull":       {`{"update_id":5,"update_id":null}`, 0},
	"TwiceOneBad":        {`{"update_id":"a","update_id":5}`, 0},
	"TwiceEscaped":       {`{"update_id":5,"update\u005fid":6}`, 0},
	"OnceEscaped":        {`{"update\u005fid":6}`, 6},
	"NestedIsNotTwice":   {`{"update_id":5,"message":{"update_id":6},"l":[{"update_id":7}]}`, 5},
	"InText":             {`{"update_id":5,"x":"\"update_id\":6,\\"}`, 5},
	"BracesInText":       {`{"x":{"a":"}]","b":["\\\"}"]},"update_id":5}`, 5},
	"BrokenAfter":        {`{"update_id":5,"message":{"text":"abc`, 0},
	"BrokenBefore":       {`{"message":{,"update_id":5}`, 0},
	"Trailing":           {`{"update_id":5}{"update_id":5}`, 0},
	"TrailingByte":       {`{"update_id":5}x`, 0},
	"TrailingComma":      {`{"update_id":5,}`, 0},
	"BOM":                {"\ufeff" + `{"update_id":5}`, 0},
	"RawNUL":             {"{\"update_id\":5,\"x\":\"a\x00b\"}", 0},
	"NULAfter":           {"{\"update_id\":5}\x00", 0},
	"EscapedNUL":         {`{"update_id":5,"x":"a\u0000b"}`, 5},
	"BrokenUTF8":         {"{\"update_id\":5,\"callback_query\":{\"data\":\"\xff\xc0\xaf\x80\"}}", 5},
	"BrokenUTF8Name":     {"{\"\xff\":1,\"update_id\":5}", 5},
	"LoneSurrogate":      {`{"update_id":5,"x":"\ud83d"}`, 5},
	"TopArray":           {`[{"update_id":5}]`, 0},
	"TopNumber":          {`5`, 0},
	"TopString":          {`"update_id"`, 0},
	"TopNull":            {`null`, 0},
	"Nothing":            {``, 0},
	"OnlyWhite":          {" \n", 0},
	"Form":               {`update_id=5`, 0},
	"Deep":               {`{"x":` + nested(9_999) + `,"update_id":5}`, 5},
	"TooDeep":            {`{"update_id":5,"x":` + nested(10_000) + `}`, 0}, // with the object, 10 001 levels
	"DeepAlone":          {nested(10_000), 0},
	"DeepUnclosed":       {`{"update_id":5,"x":` + strings.Repeat("[", 10_000), 0},
	"MebibyteText":       {`{"update_id":5,"x":"` + strings.Repeat("a", 1<<20) + `"}`, 5},
	"MebibyteOfEscapes":  {`{"x":"` + strings.Repeat(`\\`, 1<<19) + `","update_id":5}`, 5},
	"MebibyteOfMembers":  {`{` + strings.Repeat(`"a":{},`, 1<<17) + `"update_id":5}`, 5},
	"MebibyteTornAtLast": {`{"update_id":5,"x":"` + strings.Repeat("a", 1<<20) + `"`, 0},
}

func TestUpdateID(t *testing.T) {
	t.Parallel()
	for name, c := range bodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id, ok := telegram.UpdateID([]byte(c.body))
			if id != c.want || ok != (c.want != 0) {
				t.Fatalf("got %d, %v; want %d", id, ok, c.want)
			}
			u, err := telegram.Decode([]byte(c.body))
			if err == nil && u.ID != id {
				t.Fatalf("Decode says %d, UpdateID says %d", u.ID, id)
			}
			if ok && err != nil {
				t.Fatalf("usable, but Decode: %v", err)
			}
		})
	}
}

// No tree is built: at most encoding/json's scanner, which its pool mislays under the race detector.
// Not parallel: the count is of the whole process.
func TestUpdateIDBuildsNoTree(t *testing.T) {
	body := []byte(photoOfSize(64 << 10))
	if n := testing.AllocsPerRun(100, func() { telegram.UpdateID(body) }); n > 1 {
		t.Fatalf("%v allocations", n)
	}
}

func FuzzUpdateID(f *testing.F) {
	seeds(f)
	f.Add([]byte(`{"update_id":5,"update\u005fid":6}`))
	f.Add([]byte("{\"update_id\":5,\"x\":\"a\x00b\"}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		id, ok := telegram.UpdateID(body)
		if !ok {
			if id != 0 {
				t.Fatalf("not usable, yet %d", id)
			}
			return
		}
		if id < 1 || id > 1<<53 || !json.Valid(body) {
			t.Fatalf("%d of %q", id, body)
		}
		u, err := telegram.Decode(body)
		if err != nil || u.ID != id {
			t.Fatalf("UpdateID %d, Decode %d, %v", id, u.ID, err)
		}
		var top map[string]json.RawMessage
		if err := json.Unmarshal(body, &top); err != nil || string(top["update_id"]) != fmt.Sprint(id) {
			t.Fatalf("encoding/json reads %s, %v; we read %d", top["update_id"], err, id)
		}
	})
}

func BenchmarkUpdateID(b *testing.B) {
	for _, size := range []int{1 << 10, 16 << 10, 1 << 20} {
		body := []byte(photoOfSize(size))
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				telegram.UpdateID(body)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	body := []byte(photoOfSize(1 << 10))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = telegram.Decode(body)
	}
}

// photoOfSize is an update about that many bytes long, of many small members as real ones are.
func photoOfSize(bytes int) string {
	const one = `{"file_id":"AgACAgIAAxkBAAI","file_unique_id":"AQADq7","file_size":1392,"width":67,"height":90}`
	sizes := one + strings.Repeat(","+one, bytes/len(one))
	return `{"update_id":727334708,` + "\n" + `"message":{"message_id":11,"from":{"id":4101,"is_bot":false,` +
		`"first_name":"\u0410\u043d\u043d\u0430"},"chat":{"id":4101,"type":"private"},"date":1754042400,` +
		`"photo":[` + sizes + `],"caption":"two"}}`
}
