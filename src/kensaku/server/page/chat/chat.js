// The Chat view: send, follow the runs of the conversation, reply to questions, open passages.
// All of it works as plain forms, too; the scripts keep the page where it is.

import {
  announce,
  byId,
  fields,
  fragment,
  isForOthers,
  messageOf,
  near,
  neighbour,
  one,
  put,
  say,
} from "./dom.js";
import { call, events, root, texts } from "./server.js";

/** @type {Record<string, string>} */
const own = JSON.parse(byId("chat-texts").textContent ?? "");
const turns = byId("turns");
const form = one(document, "#ask", HTMLFormElement);
const box = one(form, "[name=text]", HTMLTextAreaElement);
const stop = one(form, "[data-stop]", HTMLButtonElement);
const thread = turns.dataset.thread;
const api = `/api/chat/${thread}`;
/** @type {WeakMap<Element, string>} */
const written = new WeakMap(); // part of the page → the HTML that was put there

/** @type {() => HTMLElement[]} */
const running = () => Array.from(turns.querySelectorAll('.turn[data-state="running"]'));

// --- what the server says of a run

// The end of the conversation: on a narrow screen, the history is below it.
const talk = turns.parentElement ?? turns;
const below = () => talk.getBoundingClientRect().bottom - innerHeight;
const atEnd = () => below() < 160;
const toEnd = () => {
  if (below() > 0) scrollBy({ top: below(), behavior: "instant" });
};

/**
 * What did not change stays as it is: opened, focused, selected.
 * @param {Element} part
 * @param {string} html
 */
function update(part, html) {
  if (written.get(part) === html) return;
  written.set(part, html);
  put(part, html);
}

/**
 * @param {Element} part
 * @param {[id: string, html: string][]} asks
 */
function putAsks(part, asks) {
  const ids = new Set(asks.map(([id]) => id));
  for (const shown of part.querySelectorAll("[data-ask]")) {
    if (!ids.has(shown.getAttribute("data-ask") ?? "")) shown.remove();
  }
  for (const [id, html] of asks) {
    if (part.querySelector(`[data-ask="${id}"]`)) continue; // it may be half filled in
    part.append(fragment(html));
    announce(`${own.waiting}: ${part.lastElementChild?.querySelector("h3")?.textContent}`);
  }
}

/** @param {any} data */
function show(data) {
  const turn = document.getElementById(`t-${data.run}`);
  if (!turn) return;
  const follows = atEnd();
  for (const name of ["steps", "said"]) {
    if (name in data) update(one(turn, `[data-part="${name}"]`, Element), data[name]);
  }
  if (data.asks) putAsks(one(turn, '[data-part="asks"]', Element), data.asks);
  if (data.state && data.state !== turn.dataset.state) {
    turn.dataset.state = data.state;
    turn.setAttribute("aria-busy", String(data.state === "running"));
    if (data.state !== "running") {
      announce(turn.querySelector(".state h3, .stopped")?.textContent ?? own.answered);
    }
  }
  reflect();
  if (follows) toEnd();
}

/** Show the state of the runs in the box below them. */
function reflect() {
  stop.hidden = !running().length;
  const asks = turns.querySelector("[data-ask]");
  box.placeholder = (asks ? box.dataset.reply : box.dataset.usual) ?? "";
}

let following = false;
/** @type {string | undefined} */
let last;

async function follow() {
  if (following || !thread) return;
  following = true;
  let wait = 500;
  while (running().length) {
    try {
      const runs = running()
        .map((turn) => turn.dataset.run)
        .join(",");
      const path = `${api}/events?runs=${runs}`;
      for await (const [name, data, id] of events("GET", path, undefined, undefined, last)) {
        if (id) last = id;
        if (wait > 500) say(form, "");
        wait = 500;
        if (name === "event" || name === "turn") show(data);
        else if (name === "failed") return location.reload(); // the conversation is gone
      }
    } catch {
      say(form, own.lost, true); // the server restarts: the run goes on there
      await new Promise((done) => setTimeout(done, wait));
      wait = Math.min(2 * wait, 8000);
    }
  }
  following = false;
  reflect();
}

// --- what the person says

/** @param {string} name */
const isSaid = (name) => name !== "token" && name !== "do";

/** @param {HTMLFormElement} from */
async function ask(from) {
  const text = one(from, "[name=text]", HTMLElement);
  const said = /** @type {HTMLInputElement | HTMLTextAreaElement} */ (text).value.trim();
  if (!said) return box.focus();
  const id = crypto.randomUUID?.() ?? String(Math.random());
  const sent = { ...fields(form, isSaid), text: said, update: id };
  say(form, "");
  form.setAttribute("aria-busy", "true");
  try {
    const done = await call("POST", thread ? api : "/api/chat", sent);
    if (from === form) {
      box.value = "";
      grow();
    }
    if (!thread) return location.assign(done.address);
    turns.append(fragment(done.html));
    reflect();
    toEnd();
    follow();
  } catch (error) {
    say(form, messageOf(error), true);
  } finally {
    form.removeAttribute("aria-busy");
  }
}

/**
 * @param {HTMLFormElement} from
 * @param {HTMLElement | null} button
 */
async function reply(from, button) {
  const said = fields(from, isSaid, button); // before it is disabled: then it would not count
  for (const each of from.querySelectorAll("button")) each.disabled = true;
  say(from, texts.working);
  try {
    await call("POST", `${api}/reply`, said);
    box.focus({ preventScroll: true }); // the button is about to go
  } catch (error) {
    say(from, messageOf(error), true);
    for (const each of from.querySelectorAll("button")) each.disabled = false;
  }
}

async function cancel() {
  stop.disabled = true;
  try {
    await call("POST", `${api}/cancel`);
    box.focus({ preventScroll: true });
  } catch (error) {
    say(form, messageOf(error), true);
  }
  stop.disabled = false;
}

byId("content").addEventListener("submit", (event) => {
  const from = event.target;
  if (!(from instanceof HTMLFormElement)) return;
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

/** Grow with the text, where the browser does not do it by itself. */
function grow() {
  if (CSS.supports("field-sizing", "content")) return;
  box.rows = Math.min(8, box.value.split("\n").length);
}
box.addEventListener("input", grow);
box.addEventListener("keydown", (event) => {
  // Enter also ends the choice of characters in Japanese: that sends nothing.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  ask(form);
});

// --- passages, keys, menus

/** @param {string} hash */
function openPassage(hash) {
  const passage = document.getElementById(hash.slice(1));
  if (!passage) return;
  passage.closest("details")?.setAttribute("open", "");
  passage.focus({ preventScroll: true });
  passage.scrollIntoView({ block: "nearest" });
}

const openMenus = () => document.querySelectorAll(".menu[open]");

document.addEventListener("click", (event) => {
  const link = near(event, "a.cite");
  if (link instanceof HTMLAnchorElement) {
    event.preventDefault();
    openPassage(link.hash);
  }
  const example = near(event, "[data-example]");
  if (example) {
    event.preventDefault();
    box.value = example.textContent ?? "";
    ask(form);
  }
  for (const menu of openMenus()) {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.removeAttribute("open");
  }
});

/** @param {number} step */
function move(step) {
  const next = neighbour([...turns.querySelectorAll(".turn")], step);
  if (!(next instanceof HTMLElement)) return;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "start" });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    for (const menu of openMenus()) {
      menu.removeAttribute("open");
      one(menu, "summary", HTMLElement).focus();
    }
  }
  if (isForOthers(event) || near(event, "input, select, textarea, pre")) return;
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "n") location.assign(`${root}/chat`);
});

if (location.hash) openPassage(location.hash);
else if (turns.children.length > 1 || running().length) toEnd();
follow();
