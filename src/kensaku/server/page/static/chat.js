// The Chat view: send, follow the runs of the conversation, reply to questions, open passages.
// All of it works as plain forms, too; the scripts keep the page where it is.

import { announce, call, events, root, texts } from "./server.js";

const own = JSON.parse(document.getElementById("chat-texts").textContent);
const turns = document.getElementById("turns");
const form = document.getElementById("ask");
const box = form.elements.text;
const stop = form.querySelector("[data-stop]");
const thread = turns.dataset.thread;
const api = `/api/chat/${thread}`;
const written = new WeakMap();  // part of the page → the HTML that was put there

const fragment = (html) => {  // written and escaped by the server's templates
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
};
const say = (place, text, bad = false) => {
  const said = place.querySelector(".said");
  said.textContent = text;
  said.classList.toggle("bad", bad);
};
const running = () => [...turns.querySelectorAll('.turn[data-state="running"]')];

// --- what the server says of a run

// The end of the conversation: on a narrow screen, the history is below it.
const below = () => turns.parentElement.getBoundingClientRect().bottom - innerHeight;
const atEnd = () => below() < 160;
const toEnd = () => { if (below() > 0) scrollBy({ top: below(), behavior: "instant" }); };

function put(part, html) {  // what did not change stays as it is: opened, focused, selected
  if (written.get(part) === html) return;
  written.set(part, html);
  part.replaceChildren(fragment(html));
}

function putAsks(turn, part, asks) {
  const ids = new Set(asks.map(([id]) => id));
  for (const shown of part.querySelectorAll("[data-ask]")) if (!ids.has(shown.dataset.ask)) shown.remove();
  for (const [id, html] of asks) {
    if (part.querySelector(`[data-ask="${id}"]`)) continue;  // it may be half filled in
    part.append(fragment(html));
    announce(`${own.waiting}: ${part.lastElementChild.querySelector("h3").textContent}`);
  }
}

function show(data) {
  const turn = document.getElementById(`t-${data.run}`);
  if (!turn) return;
  const follow = atEnd();
  for (const name of ["steps", "said"]) {
    if (name in data) put(turn.querySelector(`[data-part="${name}"]`), data[name]);
  }
  if (data.asks) putAsks(turn, turn.querySelector('[data-part="asks"]'), data.asks);
  if (data.state && data.state !== turn.dataset.state) {
    turn.dataset.state = data.state;
    turn.setAttribute("aria-busy", String(data.state === "running"));
    if (data.state !== "running") announce(turn.querySelector(".state h3, .stopped")?.textContent ?? own.answered);
  }
  reflect();
  if (follow) toEnd();
}

function reflect() {  // the state of the runs, in the box below them
  stop.hidden = !running().length;
  box.placeholder = turns.querySelector("[data-ask]") ? box.dataset.reply : box.dataset.usual;
}

let following = false;
let last;

async function follow() {
  if (following || !thread) return;
  following = true;
  let wait = 500;
  while (running().length) {
    try {
      const runs = running().map((turn) => turn.dataset.run).join(",");
      for await (const [name, data, id] of events("GET", `${api}/events?runs=${runs}`, undefined, undefined, last)) {
        if (id) last = id;
        if (wait > 500) say(form, "");
        wait = 500;
        if (name === "event" || name === "turn") show(data);
        else if (name === "failed") return location.reload();  // the conversation is gone
      }
    } catch {
      say(form, own.lost, true);  // the server restarts: the run goes on there
      await new Promise((done) => setTimeout(done, wait));
      wait = Math.min(2 * wait, 8000);
    }
  }
  following = false;
  reflect();
}

// --- what the person says

const fields = (from, button) => Object.fromEntries(
  [...new FormData(from, button)].filter(([name]) => name !== "token" && name !== "do"));

async function ask(from) {
  const text = from.elements.text.value.trim();
  if (!text) return box.focus();
  const sent = { ...fields(form), text, update: crypto.randomUUID?.() ?? String(Math.random()) };
  say(form, "");
  form.setAttribute("aria-busy", "true");
  try {
    const done = await call("POST", thread ? api : "/api/chat", sent);
    if (from === form) { box.value = ""; grow(); }
    if (!thread) return location.assign(done.address);
    turns.append(fragment(done.html));
    reflect();
    toEnd();
    follow();
  } catch (error) {
    say(form, error.message, true);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

async function reply(from, button) {
  const said = fields(from, button);  // before it is disabled: then it would not count
  for (const each of from.querySelectorAll("button")) each.disabled = true;
  say(from, texts.working);
  try {
    await call("POST", `${api}/reply`, said);
    box.focus({ preventScroll: true });  // the button is about to go
  } catch (error) {
    say(from, error.message, true);
    for (const each of from.querySelectorAll("button")) each.disabled = false;
  }
}

async function cancel() {
  stop.disabled = true;
  try {
    await call("POST", `${api}/cancel`);
    box.focus({ preventScroll: true });
  } catch (error) {
    say(form, error.message, true);
  }
  stop.disabled = false;
}

document.getElementById("content").addEventListener("submit", (event) => {
  const from = event.target;
  if (from === form || "again" in from.dataset) {
    event.preventDefault();
    if (event.submitter === stop) cancel();
    else ask(from);
  } else if ("ask" in from.dataset) {
    event.preventDefault();
    reply(from, event.submitter);
  }
});

// --- the box

const grow = () => {  // where the browser does not do it by itself
  if (CSS.supports("field-sizing", "content")) return;
  box.rows = Math.min(8, box.value.split("\n").length);
};
box.addEventListener("input", grow);
box.addEventListener("keydown", (event) => {
  // Enter also ends the choice of characters in Japanese: that sends nothing.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  ask(form);
});

// --- passages, keys, menus

function openPassage(link) {
  const passage = document.getElementById(link.hash.slice(1));
  if (!passage) return;
  passage.closest("details").open = true;
  passage.focus({ preventScroll: true });
  passage.scrollIntoView({ block: "nearest" });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.cite");
  if (link) { event.preventDefault(); openPassage(link); }
  const example = event.target.closest("[data-example]");
  if (example) { event.preventDefault(); box.value = example.textContent; ask(form); }
  for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

function move(step) {
  const all = [...turns.querySelectorAll(".turn")];
  const now = all.indexOf(document.activeElement?.closest?.(".turn"));
  const next = all[now < 0 ? (step > 0 ? 0 : all.length - 1) : now + step];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "start" });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") for (const menu of document.querySelectorAll(".menu[open]")) { menu.open = false; menu.querySelector("summary").focus(); }
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, select, textarea, pre")) return;
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "n") location.assign(`${root}/chat`);
});

if (location.hash) openPassage(location);
else if (turns.children.length > 1 || running().length) toEnd();
follow();
