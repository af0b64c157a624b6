package telegram_test

import (
	"strings"
	"testing"

	"sverka/internal/telegram"
)

func TestBotID(t *testing.T) {
	t.Parallel()
	secret := "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw_"
	for token, want := range map[string]int64{
		"123456789:" + secret:                       123456789,
		"1:" + secret:                               1,
		"7:" + strings.Repeat("a", 24):              7,
		"7:" + strings.Repeat("-", 78):              7,
		"18014398509481983:" + secret:               1<<54 - 1,
		"18014398509481984:" + secret:               0,
		"99999999999999999999:" + secret:            0,
		"7:" + strings.Repeat("a", 23):              0,
		"7:" + strings.Repeat("a", 79):              0,
		"0123:" + secret:                            0,
		"0:" + secret:                               0,
		"-5:" + secret:                              0,
		"+5:" + secret:                              0,
		" 5:" + secret:                              0,
		":" + secret:                                0,
		secret:                                      0,
		"":                                          0,
		"12a:" + secret:                             0,
		"123:" + secret + "/getMe":                  0,
		"123:" + secret + "?x":                      0,
		"123:" + secret + "\n":                      0,
		"123:" + secret + "/../5:" + "a":            0,
		"123:" + secret + ":a":                      0,
		"123:" + secret + "я":                       0,
		"１２３:" + secret:                             0,
		"123:%2f" + secret:                          0,
		"bot123:" + secret:                          0,
		"123:test/" + secret:                        0,
		"12_3:" + secret:                            0,
		"123 :" + secret:                            0,
		"\u0661\u0662:" + secret:                    0,
		"123:" + secret[:20] + "\x00" + secret[:10]: 0,
	} {
		id, ok := telegram.BotID(token)
		if id != want || ok != (want != 0) || ok != telegram.ValidToken(token) {
			t.Errorf("%q: %d, %v; want %d", token, id, ok, want)
		}
	}
}
