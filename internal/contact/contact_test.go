package contact

import "testing"

func TestPhonesInDifferentFormatsAreOne(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"+7 (999) 123-45-67", "79991234567", "8 999 123 45 67", "+79991234567", "8(999)1234567", " +7 999 123-45-67 "} {
		if got, ok := Normalised(raw, "RU"); !ok || got != "+79991234567" {
			t.Errorf("%q → %q, %v", raw, got, ok)
		}
	}
}

func TestWhatIsNoPhoneIsNotMadeOne(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "+", "911", "☎", "1234567890123456789012345678901234567890", "8 (999) 000-00-00 доб. 5", "+7999"} {
		if got, ok := Normalised(raw, "RU"); ok {
			t.Errorf("%q was taken for %q", raw, got)
		}
	}
}

func TestANationalNumberIsReadInTheTenantsCountry(t *testing.T) {
	t.Parallel()
	if got, ok := Normalised("030 901820", "DE"); !ok || got != "+4930901820" {
		t.Errorf("%q, %v", got, ok)
	}
}

func FuzzNormalised(f *testing.F) {
	for _, seed := range []string{"+7 (999) 123-45-67", "89991234567", "+", "٠١٢٣", "+1-800-FLOWERS", "\x00\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		once, ok := Normalised(raw, "RU")
		if !ok {
			return
		}
		if twice, ok := Normalised(once, "KZ"); !ok || twice != once {
			t.Fatalf("%q → %q → %q", raw, once, twice)
		}
	})
}
