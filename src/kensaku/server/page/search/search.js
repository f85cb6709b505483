// The Search view: stream results, move by keys, read and keep hits, make a context.

import {
  announce,
  byId,
  fields,
  isForOthers,
  messageOf,
  near,
  neighbour,
  one,
  put,
  say,
} from "./dom.js";
import { call, events, texts } from "./server.js";

const form = one(document, "#search", HTMLFormElement);
const query = one(form, "[name=q]", HTMLInputElement);
const results = byId("results");
const asked = byId("asked");
/** @type {AbortController | undefined} */
let running;
let shown = location.search;

function address() {
  const sent = /** @type {Record<string, string>} */ (fields(form));
  return `${form.getAttribute("action")}?${new URLSearchParams(sent)}`;
}

function showWaiting() {
  results.setAttribute("aria-busy", "true");
  announce(texts.searching);
  put(
    results,
    `<p class="status"></p>
     <div class="skeleton"></div><div class="skeleton short"></div><div class="skeleton"></div>`,
  );
  one(results, ".status", HTMLElement).textContent = texts.searching;
  asked.replaceChildren();
}

/** @param {string} message */
function showError(message) {
  put(results, '<section class="state bad" role="alert"><h2></h2><p></p></section>');
  one(results, "h2", HTMLElement).textContent = texts.error;
  one(results, "p", HTMLElement).textContent = message;
}

/** @param {{ html: string }} data */
function showHits(data) {
  const list =
    results.querySelector(".provisional")?.parentElement ?? document.createElement("div");
  if (!list.isConnected) {
    for (const bone of results.querySelectorAll(".skeleton")) bone.remove();
    results.append(list);
  }
  put(list, data.html);
}

/** @param {{ html: string }} data */
function showPreparing(data) {
  const old = results.querySelector(".preparing");
  const box = document.createElement("div");
  put(box, data.html);
  const now = box.querySelector(".preparing");
  if (old && now) old.replaceWith(now);
  else if (now) results.querySelector(".status, h2")?.after(now);
}

/** @param {{ html: string, asked: string, use: string, outcome: string, title: string }} data */
function showWhole(data) {
  put(results, data.html);
  put(asked, data.asked);
  put(byId("use"), data.use);
  byId("context").hidden = data.outcome !== "found";
  byId("context-text").hidden = true;
  document.title = `${data.title} · Kensaku`;
  announce(results.querySelector(".status, .state h2")?.textContent ?? "");
}

/**
 * @param {string} name
 * @param {any} data
 */
function show(name, data) {
  if (name === "asked") put(asked, data.html);
  else if (name === "hits") showHits(data);
  else if (name === "preparing") showPreparing(data);
  else if (name === "response") showWhole(data);
  else if (name === "answer") put(byId("answer"), data.html);
  else if (name === "failed" && data.html) put(results, data.html);
  else if (name === "failed") showError(data.error.message);
}

async function search() {
  running?.abort();
  const own = (running = new AbortController());
  shown = location.search;
  showWaiting();
  try {
    for await (const [name, data] of events("POST", "/api/search", fields(form), own.signal)) {
      if (own !== running) return;
      show(name, data);
    }
  } catch (error) {
    if (!own.signal.aborted) showError(messageOf(error));
  } finally {
    if (own === running) results.setAttribute("aria-busy", "false");
  }
}

function submit() {
  if (!query.value.trim()) return query.focus();
  history.pushState(null, "", address());
  query.blur();
  search();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
form.addEventListener("change", (event) => {
  if (event.target !== query && query.value.trim()) submit();
});

addEventListener("popstate", () => {
  if (location.search === shown) return; // a citation: only the part of the page changed
  const asks = new URL(location.href).searchParams;
  if (!asks.get("q")) return location.reload();
  for (const field of form.elements) {
    if (field instanceof HTMLInputElement && field.type === "checkbox") {
      field.checked = asks.has(field.name);
    } else if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) {
      if (field.name) field.value = asks.get(field.name) ?? "";
    }
  }
  search();
});

// --- on a hit

/** @param {HTMLElement} hit */
async function read(hit) {
  const button = one(hit, "[data-read]", HTMLElement);
  const open = hit.querySelector(".reader");
  button.setAttribute("aria-expanded", String(!open));
  button.textContent = open ? texts.read : texts.close;
  if (open) return open.remove();
  const reader = Object.assign(document.createElement("div"), { className: "reader", tabIndex: 0 });
  reader.textContent = texts.working;
  hit.append(reader);
  try {
    const page = await call("POST", "/api/pages", { url: hit.dataset.url, q: query.value });
    put(reader, page.html);
  } catch (error) {
    reader.textContent = messageOf(error);
  }
}

/** @param {HTMLElement} hit */
async function keep(hit) {
  say(hit, texts.working);
  const collection = form.querySelector("[name=collection]");
  const name = (collection instanceof HTMLSelectElement && collection.value) || "kept";
  const path = `/api/collections/${encodeURIComponent(name)}/documents`;
  try {
    const done = await call("POST", path, { url: hit.dataset.url });
    say(hit, done.said);
  } catch (error) {
    say(hit, messageOf(error), true);
  }
}

results.addEventListener("click", (event) => {
  const hit = near(event, ".hit");
  const example = near(event, "[data-example]");
  if (hit && near(event, "[data-read]")) read(hit);
  else if (hit && near(event, "[data-keep]")) keep(hit);
  else if (example) {
    event.preventDefault();
    query.value = example.textContent ?? "";
    submit();
  }
});

/** @param {number} step */
function move(step) {
  const next = neighbour([...results.querySelectorAll(".hit")], step);
  if (!next) return false;
  one(next, "[data-open]", HTMLElement).focus();
  next.scrollIntoView({ block: "nearest" });
  return true;
}

document.addEventListener("keydown", (event) => {
  if (isForOthers(event)) return;
  if (event.target === query && event.key === "ArrowDown" && move(1)) return event.preventDefault();
  if (near(event, "input, select, textarea, .reader, pre")) return;
  const hit = near(event, ".hit");
  if (event.key === "j" || event.key === "ArrowDown") {
    if (move(1)) event.preventDefault();
  } else if (event.key === "k" || event.key === "ArrowUp") {
    if (hit && !hit.previousElementSibling) query.focus();
    else move(-1);
    event.preventDefault();
  } else if (hit && event.key === "r") read(hit);
  else if (hit && event.key === "s" && hit.querySelector("[data-keep]")) keep(hit);
  else if (event.key === "Escape") {
    if (hit?.querySelector(".reader")) read(hit);
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  }
});

// --- context for a model

const tokens = one(document, "#tokens", HTMLInputElement);
const size = () => {
  byId("context-size").textContent = Number(tokens.value).toLocaleString("en");
};
tokens.addEventListener("input", size);
size();
one(document, "[data-context]", HTMLElement).addEventListener("click", async () => {
  const said = byId("context-tokens");
  const text = byId("context-text");
  said.textContent = texts.working;
  try {
    const wanted = { ...fields(form), max_tokens: Number(tokens.value) };
    const made = await call("POST", "/api/context", wanted);
    said.textContent = made.said;
    text.textContent = made.text;
    text.hidden = false;
  } catch (error) {
    said.textContent = messageOf(error);
  }
});
