// Renews what stands on the page every two seconds, without touching what is being typed. Each part
// marked data-live is replaced only when it has changed; the page works without this file.
"use strict";

const every = 2000;

function renew(fresh) {
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = fresh.getElementById(part.id);
    if (!next || next.innerHTML === part.innerHTML) continue;
    if (part !== document.activeElement && part.contains(document.activeElement)) continue;
    part.replaceChildren(...next.childNodes);
  }
}

async function look() {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const text = await answer.text();
    const fresh = new DOMParser().parseFromString(text, "text/html");
    const known = document.querySelectorAll("section.crm").length;
    if (fresh.querySelectorAll("section.crm").length !== known) {
      location.reload();
      return;
    }
    renew(fresh);
  } catch {
    // the sandbox is away for a moment: the next look may find it
  }
}

setInterval(look, every);
