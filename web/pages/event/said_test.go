package event

import (
	"testing"

	"sverka/internal/i18n"
	"sverka/internal/operation"
)

// The one sentence is what people read first; here all of them stand together.
func TestSaid(t *testing.T) {
	t.Parallel()
	ru := map[string]string{
		"done":                 "Стало лидом L-12 в «CRM „Апсерт“» со 2‑й попытки, через 4,1 с после получения",
		"several":              "Появились 2 записи, последняя — через 2 с после получения",
		"held":                 "Приостановлено: не создана запись, к которой это относится",
		"pending":              "Сохранено и ждёт разбора",
		"paused":               "Сохранено и ждёт: бот «Студия „Апсерт“» на паузе",
		"no_id":                "В карантине: нет пригодного номера обновления",
		"variant":              "Другое содержимое под уже известным номером: сохранено, но не обработано",
		"ignored":              "Сохранено и пропущено: написано в группе или канале, а не боту лично",
		"nothing":              "Разобрано: записывать в CRM нечего",
		"needs_reconciliation": "Нужно решение человека: запрос отправлен, но ответ CRM потерялся",
		"lost_worker":          "Нужно решение человека: наш обработчик пропал во время отправки, и ответа никто не видел",
		"failed":               "Лид в «CRM „Апсерт“» не создан: CRM не принимает значения полей (422)",
		"retry":                "Попробуем ещё раз: в CRM произошёл сбой при обработке запроса (507)",
		"in_flight":            "Отправляется в «CRM „Апсерт“», попытка 2",
		"late":                 "Стало лидом <script>alert(1)</script> в «CRM „Апсерт“» через 2 ч после получения",
		"superseded":           "Оставлено как было: в CRM уже стоит «won»",
	}
	en := map[string]string{
		"done":                 "Became lead L-12 in “CRM «Апсерт»” on the 2nd attempt, 4.1 s after it arrived",
		"ignored":              "Stored and ignored: said in a group or channel, not to the bot in private",
		"needs_reconciliation": "Needs a person: the CRM's answer was lost after the request had been sent",
		"failed":               "No lead was made in “CRM «Апсерт»”: the CRM does not accept the values (422)",
	}
	for name, f := range cases() {
		if got := plain(i18n.In(i18n.Russian).Say(f.said())); got != ru[name] {
			t.Errorf("%s: %q, want %q", name, got, ru[name])
		}
		if got, want := plain(i18n.In(i18n.English).Say(f.said())), en[name]; want != "" && got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestEveryStateHasAnUrgency(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for from := range operation.Edges {
		if from != "new" && (urgency[from] == 0 || seen[urgency[from]]) {
			t.Errorf("urgency of %s is %d", from, urgency[from])
		}
		seen[urgency[from]] = true
	}
}

// plain makes the spaces that keep numbers together comparable.
func plain(text string) string {
	out := []rune(text)
	for k, r := range out {
		if r == '\u00a0' {
			out[k] = ' '
		}
	}
	return string(out)
}
