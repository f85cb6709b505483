// Every view: theme, language, help, copying, the Use this panel. A view's own script stands beside
// this one in the page's head.

import { announce, isForOthers, near, one } from "./dom.js";
import { root, texts } from "./server.js";

const YEAR = 365 * 86400;
const help = one(document, "#help", HTMLDialogElement);

/**
 * @param {string} name
 * @param {string} value
 */
const remember = (name, value) => {
  document.cookie = `kensaku_${name}=${value}; path=${root || "/"}; max-age=${YEAR}; samesite=lax`;
};

function switchTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  one(document, 'meta[name="color-scheme"]', HTMLMetaElement).content = next;
  remember("theme", next);
}

/**
 * Keep the search that is in the address.
 * @param {HTMLAnchorElement} link
 */
function switchLanguage(link) {
  const language = new URL(link.href).searchParams.get("language_of_page") ?? "";
  const address = new URL(location.href);
  address.searchParams.set("language_of_page", language);
  location.assign(address);
}

/**
 * @param {HTMLElement} button
 * @param {string} text
 */
async function copy(button, text) {
  await navigator.clipboard.writeText(text).catch(() => {});
  const label = button.textContent;
  button.textContent = texts.copied;
  announce(texts.copied);
  setTimeout(() => {
    button.textContent = label;
  }, 1500);
}

/**
 * @param {Element | null} panel
 * @param {string} [label]
 */
function showSnippet(panel, label) {
  for (const part of panel?.querySelectorAll(".snippet") ?? []) {
    if (part instanceof HTMLElement) part.hidden = part.dataset.label !== label;
  }
  for (const tab of panel?.querySelectorAll("[data-snippet]") ?? []) {
    tab.setAttribute("aria-pressed", String(tab.getAttribute("data-snippet") === label));
  }
}

/** @type {Record<string, (found: HTMLElement, event: Event) => void>} */
const CLICKS = {
  "[data-theme-switch]": (_, event) => {
    event.preventDefault();
    switchTheme();
  },
  "[data-switch]": (found, event) => {
    event.preventDefault();
    if (found instanceof HTMLAnchorElement) switchLanguage(found);
  },
  "[data-help]": () => help.showModal(),
  "[data-snippet]": (found) => showSnippet(found.closest(".use"), found.dataset.snippet),
  "[data-copy]": (found) =>
    copy(found, found.parentElement?.querySelector("pre, code")?.textContent ?? ""),
  "[data-copy-text]": (found) => copy(found, found.dataset.copyText ?? ""),
};

document.addEventListener("click", (event) => {
  for (const [selector, act] of Object.entries(CLICKS)) {
    const found = near(event, selector);
    if (found) return act(found, event);
  }
});

document.addEventListener("change", (event) => {
  const select = near(event, "[data-snippets]");
  if (select instanceof HTMLSelectElement && select.value) {
    showSnippet(select.closest(".use"), select.value);
  }
});

document.addEventListener("keydown", (event) => {
  const field = near(event, "input, select, textarea");
  if (event.key === "Escape" && field) field.blur();
  if (field || isForOthers(event)) return;
  if (event.key === "?") help.showModal();
  else if (event.key === "/") {
    const box = document.querySelector('[role="search"] input, #ask textarea');
    if (!(box instanceof HTMLInputElement || box instanceof HTMLTextAreaElement)) return;
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
if (current instanceof HTMLElement && current.parentElement) {
  current.parentElement.scrollLeft = current.offsetLeft - 80;
}
