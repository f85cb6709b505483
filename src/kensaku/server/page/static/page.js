// Every view: theme, language, help, copying, the Use this panel. A view's own script stands beside this one in the page's head.

import { announce, texts } from "./server.js";

const year = 365 * 86400;
const remember = (name, value) => {
  const path = document.querySelector('meta[name="kensaku-root"]').content || "/";
  document.cookie = `kensaku_${name}=${value}; path=${path}; max-age=${year}; samesite=lax`;
};

function switchTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  document.querySelector('meta[name="color-scheme"]').content = next;
  remember("theme", next);
}

function switchLanguage(link) {  // keep the search that is in the address
  const address = new URL(location.href);
  address.searchParams.set("language_of_page", new URL(link.href).searchParams.get("language_of_page"));
  location.assign(address);
}

async function copy(button, text) {
  await navigator.clipboard.writeText(text).catch(() => {});
  const label = button.textContent;
  button.textContent = texts.copied;
  announce(texts.copied);
  setTimeout(() => { button.textContent = label; }, 1500);
}

function showSnippet(panel, label) {
  for (const part of panel.querySelectorAll(".snippet")) part.hidden = part.dataset.label !== label;
  for (const tab of panel.querySelectorAll("[data-snippet]")) {
    tab.setAttribute("aria-pressed", String(tab.dataset.snippet === label));
  }
}

document.addEventListener("click", (event) => {
  const on = (selector) => event.target.closest(selector);
  let found;
  if ((found = on("[data-theme-switch]"))) { event.preventDefault(); switchTheme(); }
  else if ((found = on("[data-switch]"))) { event.preventDefault(); switchLanguage(found); }
  else if (on("[data-help]")) document.getElementById("help").showModal();
  else if ((found = on("[data-snippet]"))) showSnippet(found.closest(".use"), found.dataset.snippet);
  else if ((found = on("[data-copy]"))) copy(found, found.parentElement.querySelector("pre, code").textContent);
  else if ((found = on("[data-copy-text]"))) copy(found, found.dataset.copyText);
});

document.addEventListener("change", (event) => {
  const select = event.target.closest("[data-snippets]");
  if (select?.value) showSnippet(select.closest(".use"), select.value);
});

document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input, select, textarea");
  if (event.key === "Escape" && field) field.blur();
  if (field || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "?") document.getElementById("help").showModal();
  else if (event.key === "/") {
    const box = document.querySelector('[role="search"] input, #ask textarea');
    if (!box) return;
    event.preventDefault();
    box.focus();
    box.select();
  }
});

// The address is that of what is shown, not of the switch that was used.
const address = new URL(location.href);
if (address.searchParams.has("language_of_page") || address.searchParams.has("theme")) {
  address.searchParams.delete("language_of_page");
  address.searchParams.delete("theme");
  history.replaceState(null, "", address);
}

// On a narrow screen the views scroll: show the one that is open.
const current = document.querySelector("nav [aria-current]");
if (current) current.parentElement.scrollLeft = current.offsetLeft - 80;
