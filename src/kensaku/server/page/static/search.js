// The Search view: stream results, move by keys, read and keep hits, make a context.

import { announce, call, events, texts } from "./server.js";

const form = document.getElementById("search");
const results = document.getElementById("results");
const asked = document.getElementById("asked");
let running;
let shown = location.search;

const put = (element, html) => {  // written and escaped by the server's templates
  const template = document.createElement("template");
  template.innerHTML = html;
  element.replaceChildren(template.content);
};

const fields = () => Object.fromEntries([...new FormData(form)].filter(([, value]) => value));

function address() {
  const query = new URLSearchParams(fields());
  return `${form.getAttribute("action")}?${query}`;
}

function showWaiting() {
  results.setAttribute("aria-busy", "true");
  announce(texts.searching);
  put(results, '<p class="status"></p><div class="skeleton"></div><div class="skeleton short"></div><div class="skeleton"></div>');
  results.querySelector(".status").textContent = texts.searching;
  asked.replaceChildren();
}

function showError(message) {
  put(results, '<section class="state bad" role="alert"><h2></h2><p></p></section>');
  results.querySelector("h2").textContent = texts.error;
  results.querySelector("p").textContent = message;
}

function showHits(data) {
  const list = results.querySelector(".provisional")?.parentElement ?? document.createElement("div");
  if (!list.isConnected) {
    for (const bone of results.querySelectorAll(".skeleton")) bone.remove();
    results.append(list);
  }
  put(list, data.html);
}

function showWhole(data) {
  put(results, data.html);
  put(asked, data.asked);
  put(document.getElementById("use"), data.use);
  document.getElementById("context").hidden = data.outcome !== "found";
  document.getElementById("context-text").hidden = true;
  document.title = `${data.title} · Kensaku`;
  announce(results.querySelector(".status, .state h2")?.textContent ?? "");
}

async function search() {
  running?.abort();
  const own = (running = new AbortController());
  shown = location.search;
  showWaiting();
  try {
    for await (const [name, data] of events("POST", "/api/search", fields(), own.signal)) {
      if (own !== running) return;
      if (name === "asked") put(asked, data.html);
      else if (name === "hits") showHits(data);
      else if (name === "response") showWhole(data);
      else if (name === "answer") put(document.getElementById("answer"), data.html);
      else if (name === "failed") data.html ? put(results, data.html) : showError(data.error.message);
    }
  } catch (error) {
    if (error.name !== "AbortError") showError(error.message);
  } finally {
    if (own === running) results.setAttribute("aria-busy", "false");
  }
}

function submit() {
  if (!form.elements.q.value.trim()) return form.elements.q.focus();
  history.pushState(null, "", address());
  form.elements.q.blur();
  return search();
}

form.addEventListener("submit", (event) => { event.preventDefault(); submit(); });
form.addEventListener("change", (event) => {
  if (event.target.name !== "q" && form.elements.q.value.trim()) submit();
});

addEventListener("popstate", () => {
  if (location.search === shown) return;  // a citation: only the part of the page changed
  const query = new URL(location.href).searchParams;
  if (!query.get("q")) return location.reload();
  for (const field of form.elements) {
    if (field.type === "checkbox") field.checked = query.has(field.name);
    else if (field.name) field.value = query.get(field.name) ?? "";
  }
  return search();
});

// --- on a hit

const say = (hit, text, bad = false) => {
  const said = hit.querySelector(".said");
  said.textContent = text;
  said.classList.toggle("bad", bad);
};

async function read(hit) {
  const button = hit.querySelector("[data-read]");
  const open = hit.querySelector(".reader");
  button.setAttribute("aria-expanded", String(!open));
  button.textContent = open ? texts.read : texts.close;
  if (open) return open.remove();
  const reader = Object.assign(document.createElement("div"), { className: "reader", tabIndex: 0 });
  reader.textContent = texts.working;
  hit.append(reader);
  try {
    const page = await call("POST", "/api/pages", { url: hit.dataset.url, q: form.elements.q.value });
    put(reader, page.html);
  } catch (error) {
    reader.textContent = error.message;
  }
}

async function keep(hit) {
  say(hit, texts.working);
  const name = form.elements.collection?.value || "kept";
  try {
    const done = await call("POST", `/api/collections/${encodeURIComponent(name)}/documents`, { url: hit.dataset.url });
    say(hit, done.said);
  } catch (error) {
    say(hit, error.message, true);
  }
}

results.addEventListener("click", (event) => {
  const hit = event.target.closest(".hit");
  if (event.target.closest("[data-read]")) read(hit);
  else if (event.target.closest("[data-keep]")) keep(hit);
  else if (event.target.closest("[data-example]")) {
    event.preventDefault();
    form.elements.q.value = event.target.textContent;
    submit();
  }
});

function move(step) {
  const all = [...results.querySelectorAll(".hit")];
  const now = all.indexOf(document.activeElement?.closest?.(".hit"));
  const next = all[now < 0 ? (step > 0 ? 0 : all.length - 1) : now + step];
  next?.querySelector("[data-open]").focus();
  next?.scrollIntoView({ block: "nearest" });
  return Boolean(next);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const box = event.target === form.elements.q;
  if (box && event.key === "ArrowDown" && move(1)) return event.preventDefault();
  if (event.target.closest("input, select, textarea, .reader, pre")) return;
  const hit = event.target.closest(".hit");
  if (event.key === "j" || event.key === "ArrowDown") { if (move(1)) event.preventDefault(); }
  else if (event.key === "k" || event.key === "ArrowUp") {
    if (hit && !hit.previousElementSibling) form.elements.q.focus();
    else move(-1);
    event.preventDefault();
  } else if (hit && event.key === "r") read(hit);
  else if (hit && event.key === "s") hit.querySelector("[data-keep]")?.click();
  else if (event.key === "Escape") {
    if (hit?.querySelector(".reader")) read(hit);
    else document.activeElement?.blur();
  }
});

// --- context for a model

const tokens = document.getElementById("tokens");
const size = () => { document.getElementById("context-size").textContent = Number(tokens.value).toLocaleString("en"); };
tokens.addEventListener("input", size);
size();
document.querySelector("[data-context]").addEventListener("click", async () => {
  const said = document.getElementById("context-tokens"), text = document.getElementById("context-text");
  said.textContent = texts.working;
  try {
    const made = await call("POST", "/api/context", { ...fields(), max_tokens: Number(tokens.value) });
    said.textContent = made.said;
    text.textContent = made.text;
    text.hidden = false;
  } catch (error) {
    said.textContent = error.message;
  }
});
