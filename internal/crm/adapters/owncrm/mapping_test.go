package owncrm

import (
	"maps"
	"testing"

	"sverka/internal/crm"
)

func TestMappingIsRefusedWhereAValueWouldBeLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mapping string
		fits    bool
	}{
		"None":            {``, true},
		"Blank":           {` `, true},
		"Nothing":         {`{}`, true},
		"Paths":           {`{"name":"contact.full_name","text":"comment","stamp":"external_code","id":"data.id","items":"result.rows","parent":"lead.id"}`, true},
		"BesideOthers":    {`{"name":"contact.name","phone":"contact.phone"}`, true},
		"AmongFields":     {`{"name":"fields.full_name"}`, true},
		"Swapped":         {`{"name":"fields.phone","phone":"fields.name"}`, true},
		"SameIDAndField":  {`{"id":"name","name":"name"}`, true}, // one is what we get, one what we send
		"StampAsIs":       {`{"stamp":"stamp","parent":"fields.parent"}`, true},
		"StampAmongThem":  {`{"stamp":"fields.external_code"}`, true},
		"Twice":           {`{"name":"a","phone":"a"}`, false},
		"Through":         {`{"name":"a","phone":"a.b"}`, false},
		"OverTheStamp":    {`{"name":"stamp"}`, false},
		"UnderTheStamp":   {`{"name":"stamp.x"}`, false},
		"OverTheParent":   {`{"name":"fields.parent"}`, false},
		"OverAllFields":   {`{"name":"fields"}`, false},
		"StampOverFields": {`{"stamp":"fields"}`, false},
		"NoName":          {`{"":"a"}`, false},
		"NoPath":          {`{"name":""}`, false},
		"EmptyPart":       {`{"name":"a..b"}`, false},
		"NotText":         {`{"name":1}`, false},
		"Null":            {`{"name":null}`, false},
		"List":            {`["name"]`, false},
		"NotJSON":         {`name=a`, false},
		"TwoValues":       {`{} {}`, false},
		"TooDeep":         {`{"name":"a.b.c.d.e.f.g.h.i"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faults := crm.FieldErrors{}
			readPaths(c.mapping, faults)
			if _, refused := faults[mapping]; refused == c.fits {
				t.Errorf("faults: %v", faults)
			}
		})
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	lead := crm.Record{Stamp: "svo-1", Fields: map[string]string{"name": "Ann", "text": "hi"}}
	for name, c := range map[string]struct {
		paths  paths
		record crm.Record
		want   string // "" = refused
	}{
		"AsIs":       {nil, lead, `{"fields":{"name":"Ann","text":"hi"},"stamp":"svo-1"}`},
		"Empty":      {nil, crm.Record{Stamp: "svo-1"}, `{"fields":{},"stamp":"svo-1"}`},
		"Note":       {nil, crm.Record{Stamp: "svo-1", Parent: "L-1"}, `{"fields":{"parent":"L-1"},"stamp":"svo-1"}`},
		"NoteMapped": {paths{"parent": "lead.id"}, crm.Record{Stamp: "svo-1", Parent: "L-1"}, `{"lead":{"id":"L-1"},"stamp":"svo-1"}`},
		"Mapped":     {paths{"name": "contact.full_name", "stamp": "code"}, lead, `{"code":"svo-1","contact":{"full_name":"Ann"},"fields":{"text":"hi"}}`},
		"AllMapped":  {paths{"name": "contact.name", "text": "contact.text"}, lead, `{"contact":{"name":"Ann","text":"hi"},"stamp":"svo-1"}`},
		// A partner may call a field what he likes: it is a field.
		"CalledStamp": {nil, crm.Record{Stamp: "svo-1", Fields: map[string]string{"stamp": "x", "id": "y"}}, `{"fields":{"id":"y","stamp":"x"},"stamp":"svo-1"}`},
		"Dotted":      {nil, crm.Record{Stamp: "svo-1", Fields: map[string]string{"utm.source": "x", "utm": "y"}}, `{"fields":{"utm":"y","utm.source":"x"},"stamp":"svo-1"}`},
		"Collision":   {paths{"name": "fields.text"}, lead, ``},
		"ParentTwice": {nil, crm.Record{Stamp: "svo-1", Parent: "L-1", Fields: map[string]string{"parent": "x"}}, ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 20 { // the order of a map must not matter
				body, err := c.paths.body(c.record)
				if (err != nil) != (c.want == "") || string(body) != c.want {
					t.Fatalf("got %s, %v, want %s", body, err, c.want)
				}
			}
		})
	}
}

func TestObject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		paths  paths
		body   string
		ref    crm.Ref
		stamp  crm.Stamp
		fields map[string]string
	}{
		"AsIs":       {nil, `{"id":"L-1","stamp":"svo-1","fields":{"name":"Ann","age":7,"gone":null}}`, "L-1", "svo-1", map[string]string{"name": "Ann", "age": "7"}},
		"LongNumber": {nil, `{"id":9007199254740993}`, "9007199254740993", "", nil},
		"Mapped": {paths{"name": "contact.full_name", "stamp": "code", "id": "data.id", "parent": "lead.id"},
			`{"data":{"id":5},"code":"svo-1","contact":{"full_name":"Ann"},"lead":{"id":3}}`, "5", "svo-1", map[string]string{"name": "Ann", "parent": "3"}},
		"AmongFields": {paths{"name": "fields.full_name"}, `{"id":"5","fields":{"full_name":"Ann","text":"hi"}}`, "5", "",
			map[string]string{"name": "Ann", "text": "hi"}},
		"Swapped":     {paths{"name": "fields.phone", "phone": "fields.name"}, `{"id":"5","fields":{"name":"+7"}}`, "5", "", map[string]string{"phone": "+7"}},
		"Elsewhere":   {paths{"name": "contact.name"}, `{"id":"5","fields":{"name":"a name of theirs"}}`, "5", "", nil},
		"ParentMoved": {paths{"parent": "fields.lead"}, `{"id":"5","fields":{"lead":3,"parent":"theirs"}}`, "5", "", map[string]string{"parent": "3"}},
		"NoID":        {nil, `{"fields":{}}`, "", "", nil},
		"IDNoText":    {nil, `{"id":{"a":1}}`, "", "", nil},
		"IDWithNul":   {nil, `{"id":"a\u0000"}`, "", "", nil},
		"Error":       {nil, `{"error":"x"}`, "", "", nil},
		"List":        {nil, `[]`, "", "", nil},
		"Null":        {nil, `null`, "", "", nil},
		"Trailing":    {nil, `{"id":"L-1"}]`, "", "", nil},
		"Two":         {nil, `{"id":"L-1"}{"id":"L-2"}`, "", "", nil},
		"Cut":         {nil, `{"id":"L-1"`, "", "", nil},
		"Nothing":     {nil, ``, "", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := c.paths.object(crm.Lead, decode([]byte(c.body)))
			if o.Ref != c.ref || o.Stamp != c.stamp || o.Kind != crm.Lead || !maps.Equal(o.Fields, c.fields) {
				t.Errorf("got %+v", o)
			}
		})
	}
}
