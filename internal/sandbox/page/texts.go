package page

import "fmt"

// T is a text of the page in its language. A key without a text is shown as it stands.
func (a address) T(key string, values ...any) string {
	text, known := texts[key]
	switch {
	case !known:
		return key
	case a.Lang == "ru":
		return fmt.Sprintf(text.ru, values...)
	}
	return fmt.Sprintf(text.en, values...)
}

// Label is the name of a record's field.
func (a address) Label(name string) string {
	if _, known := texts["field_"+name]; !known {
		return name
	}
	return a.T("field_" + name)
}

// Queued is a waiting fault in words.
func (a address) Queued(q queued) string {
	key := "queued_not"
	if q.Executes {
		key = "queued_written"
	}
	name := a.T(key, a.T("fault_"+q.Fault.Fault))
	if q.Rate > 0 {
		return a.T("rated", name, q.Percent)
	}
	return a.T("times", name, q.Count)
}

type text struct{ en, ru string }

var texts = map[string]text{
	"title":    {"Sandbox", "Песочница"},
	"subtitle": {"A toy Telegram and toy CRMs. Write, break things, watch: nothing here is real.", "Игрушечные Telegram и CRM. Пишите, ломайте, смотрите: всё понарошку."},
	"panel":    {"See it in Sverka", "Посмотреть в Сверке"},
	"live_off": {"Pause updates", "Не обновлять"},
	"live_on":  {"Update by itself", "Обновлять само"},
	"reload":   {"Reload", "Обновить"},
	"skip":     {"Skip to the records", "К записям в CRM"},

	"customer":      {"You are a customer", "Вы — клиент"},
	"bot":           {"Bot", "Бот"},
	"choose":        {"Choose", "Выбрать"},
	"name":          {"Your name", "Ваше имя"},
	"default_name":  {"Anna Smith", "Анна Смирнова"},
	"also":          {"Wrote before:", "Уже писали:"},
	"someone":       {"Somebody new", "Кто-то новый"},
	"message":       {"Message", "Сообщение"},
	"message_hint":  {"Hello! How much is delivery?", "Здравствуйте! Сколько стоит доставка?"},
	"send":          {"Send", "Отправить"},
	"phone":         {"Phone", "Телефон"},
	"phone_send":    {"Share my phone", "Послать номер"},
	"phone_default": {"+1 202 555 0143", "+7 900 123-45-67"},
	"payload":       {"Link payload", "Метка из ссылки"},
	"start_send":    {"Press /start", "Нажать /start"},
	"talk":          {"Conversation", "Переписка"},
	"talk_empty":    {"Nothing said yet. Write the first message below.", "Пока пусто. Напишите первое сообщение ниже."},
	"shared_phone":  {"Phone: %s", "Телефон: %s"},
	"no_text":       {"(%s, no text)", "(%s, без текста)"},
	"token":         {"Token for Sverka", "Токен для Сверки"},
	"hook_none":     {"No webhook: messages wait until Sverka connects this bot.", "Вебхука нет: сообщения ждут, пока Сверка подключит бота."},
	"hook":          {"Webhook", "Вебхук"},
	"last_error":    {"Last error, %s: %s", "Последняя ошибка, %s: %s"},

	"state_waiting":   {"on its way", "в пути"},
	"state_no_hook":   {"waits for a webhook", "ждёт вебхука"},
	"state_retrying":  {"not accepted, attempts: %d", "не принято, попыток: %d"},
	"state_next":      {"next at %s", "следующая в %s"},
	"state_delivered": {"delivered, %d", "доставлено, %d"},
	"state_attempts":  {"attempts: %d", "попыток: %d"},
	"state_expired":   {"given up: its life is over", "не доставлено: срок вышел"},
	"state_dropped":   {"dropped with the webhook", "отброшено вместе с вебхуком"},
	"redelivered":     {"sent again: %d", "послано повторно: %d"},
	"again":           {"Deliver twice more", "Доставить ещё дважды"},

	"updates":       {"Every update of this bot", "Все обновления бота"},
	"updates_empty": {"No updates yet.", "Обновлений пока нет."},
	"col_update":    {"Update", "Обновление"},
	"col_type":      {"Type", "Тип"},
	"col_at":        {"Time", "Время"},
	"col_who":       {"From", "От кого"},
	"col_state":     {"Delivery", "Доставка"},

	"crm":          {"What the CRMs hold", "Что лежит в CRM"},
	"crm_empty":    {"There is no CRM yet. Make one below, then connect it in Sverka.", "CRM пока нет. Создайте её ниже и подключите в Сверке."},
	"leads_empty":  {"No records yet.", "Записей пока нет."},
	"hidden":       {"Older leads, not shown: %d", "Более ранних лидов, не показано: %d"},
	"stamp":        {"stamp", "метка операции"},
	"twice":        {"Two records carry one stamp: %s. That must never happen.", "Две записи с одной меткой операции: %s. Так быть не должно."},
	"double":       {"duplicate", "двойник"},
	"note":         {"Note", "Заметка"},
	"unsearchable": {"cannot be searched", "без поиска"},
	"summary":      {"leads: %d · write requests: %d", "лидов: %d · запросов на запись: %d"},

	"capability_idempotent_create":     {"knows repeats by key", "узнаёт повтор по ключу"},
	"capability_upsert_by_external_id": {"files by external id", "пишет по внешнему id"},
	"capability_neither":               {"every request is a new record", "каждый запрос — новая запись"},

	"break":           {"Break the next write", "Сломать следующую запись"},
	"faults_executed": {"Write it, then", "Записать, а потом"},
	"faults_not":      {"Do not write it, and", "Не записать и"},
	"queued":          {"Waiting to happen:", "Скоро случится:"},
	"queued_written":  {"%s (written)", "%s (запишет)"},
	"queued_not":      {"%s (not written)", "%s (не запишет)"},
	"clear":           {"Clear faults", "Убрать сбои"},
	"times":           {"%s × %d", "%s × %d"},
	"rated":           {"%s, %.0f%%", "%s, %.0f%%"},

	"fault_lose_response":          {"Lose the answer", "Потерять ответ"},
	"fault_slow":                   {"Answer after 30 s", "Ответить через 30 с"},
	"fault_error_500_executed":     {"Answer 500", "Ответить 500"},
	"fault_reset_mid_body":         {"Break off the answer", "Оборвать ответ"},
	"fault_garbage_2xx":            {"Answer garbage", "Ответить мусором"},
	"fault_lose_request":           {"Stay silent", "Промолчать"},
	"fault_refuse":                 {"Refuse, 422", "Отказать, 422"},
	"fault_throttle":               {"Ask to wait, 429", "Просить подождать, 429"},
	"fault_error_500_not_executed": {"Answer 500", "Ответить 500"},

	"ledger":       {"Ledger: every request", "Журнал: все запросы"},
	"ledger_empty": {"No requests yet.", "Запросов пока нет."},
	"col_request":  {"Request", "Запрос"},
	"col_key":      {"Key or stamp", "Ключ или метка"},
	"col_effect":   {"Effect", "Действие"},
	"col_object":   {"Record", "Запись"},
	"col_answer":   {"Answer", "Ответ"},
	"col_fault":    {"Fault", "Сбой"},
	"executed":     {"written", "записано"},
	"not_executed": {"nothing", "ничего"},
	"read":         {"read", "чтение"},
	"no_answer":    {"none", "нет"},

	"make_bot":      {"Make a bot", "Создать бота"},
	"make_bot_name": {"Name of the bot", "Имя бота"},
	"no_bots":       {"There is no bot yet. Make one, then give its token to Sverka.", "Ботов пока нет. Создайте бота и дайте его токен Сверке."},
	"make_crm":      {"Make a CRM", "Создать CRM"},
	"make_crm_name": {"Name (letters, digits, - and _)", "Имя (латиница, цифры, - и _)"},
	"capability":    {"What it does with a repeat", "Что делает с повтором"},
	"searchable":    {"Can be searched", "Есть поиск"},
	"make":          {"Make", "Создать"},
	"access":        {"Address and token for Sverka", "Адрес и токен для Сверки"},

	"error_text":     {"Write something first.", "Сначала напишите что-нибудь."},
	"error_phone":    {"A phone number is missing.", "Не хватает номера телефона."},
	"error_name":     {"A name is missing.", "Не хватает имени."},
	"error_bot":      {"This bot is gone. Choose another one.", "Этого бота больше нет. Выберите другого."},
	"error_hook":     {"The bot has no webhook, so nothing can be sent again.", "У бота нет вебхука, повторять некуда."},
	"error_bot_name": {"A bot needs a name.", "Боту нужно имя."},
	"error_account":  {"The name of a CRM is 1 to 63 letters, digits, - or _.", "Имя CRM — от 1 до 63 латинских букв, цифр, - или _."},
	"error_other":    {"That did not work. The log of the sandbox says why.", "Не получилось. Причина — в журнале песочницы."},

	"field_text":          {"Text", "Текст"},
	"field_phone":         {"Phone", "Телефон"},
	"field_email":         {"E-mail", "Почта"},
	"field_username":      {"Username", "Имя в Telegram"},
	"field_telegram_id":   {"Telegram id", "Telegram id"},
	"field_start_payload": {"Link payload", "Метка из ссылки"},
	"field_source":        {"Source", "Источник"},
}
