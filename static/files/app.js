// What the panel gains with a script: ages that stay true, times in the reader's own zone, buttons that
// copy. Without it every page works; the copy buttons stay hidden.

const root = document.documentElement;
const lang = root.lang === "en" ? "en-GB" : root.lang;
// The server's clock counts, also on a machine whose own is wrong.
const offset = Date.parse(root.dataset.now) - Date.now() || 0;

const ages = [...document.querySelectorAll("time[data-ago]")];
const relative = new Intl.RelativeTimeFormat(lang, { numeric: "always" });
const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

function age(at, now) {
  const seconds = Math.trunc((at - now) / 1000);
  if (Math.abs(seconds) < 5) return document.body.dataset.justNow;
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size);
  return relative.format(Math.trunc(seconds / size), unit);
}

let timer;
function tick() {
  clearTimeout(timer);
  const now = Date.now() + offset;
  let youngest = Infinity;
  for (const time of ages) {
    const at = Date.parse(time.dateTime);
    const text = age(at, now);
    if (time.textContent !== text) time.textContent = text;
    youngest = Math.min(youngest, Math.abs(now - at));
  }
  if (!ages.length || document.hidden) return;
  timer = setTimeout(tick, youngest < 60e3 ? 1e3 : youngest < 3600e3 ? 30e3 : 300e3);
}
document.addEventListener("visibilitychange", () => document.hidden || tick());
tick();

const moment = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "medium" });
for (const time of document.querySelectorAll("time[data-moment]")) {
  time.textContent = moment.format(Date.parse(time.dateTime)); // UTC stays in the title
}

if (navigator.clipboard) {
  const said = document.getElementById("said");
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      said.textContent = document.body.dataset.copied;
      button.classList.add("done");
      setTimeout(() => { button.classList.remove("done"); said.textContent = ""; }, 1500);
    });
  }
}
