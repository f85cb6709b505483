// The other views: buttons and forms that call the API, dropped files, jobs that are watched.
// A view is written by the server; after a change it is fetched again.

import { announce, byId, fields, messageOf, near, one, put, say } from "./dom.js";
import { call, events, refresh, texts } from "./server.js";

const main = byId("content");

/** @param {HTMLButtonElement} button */
async function press(button) {
  if (button.dataset.sure && !confirm(button.dataset.sure)) return;
  const [method, path] = (button.dataset.call ?? "").split(" ");
  const { body } = button.dataset;
  button.disabled = true;
  try {
    await call(method, path, body ? JSON.parse(body) : undefined);
    if (button.dataset.then) return location.assign(button.dataset.then);
    await refresh();
    main.focus();
    watch();
  } catch (error) {
    button.disabled = false;
    const said = document.createElement("span");
    said.className = "small bad";
    said.role = "alert";
    said.textContent = messageOf(error);
    button.after(said);
  }
}

/** @param {HTMLFormElement} form */
async function submit(form) {
  const [method, path] = (form.dataset.api ?? "").split(" ");
  say(form, texts.working);
  try {
    const done = await call(method, path, fields(form));
    await refresh();
    if ("secret" in form.dataset) showSecret(done.key);
  } catch (error) {
    say(form, messageOf(error), true);
  }
}

/** @param {string} key */
function showSecret(key) {
  const box = one(main, ".secret", HTMLElement);
  one(box, "code", HTMLElement).textContent = key;
  box.hidden = false;
  one(box, "[data-copy]", HTMLElement).focus();
  announce(box.textContent ?? "");
}

main.addEventListener("click", (event) => {
  const button = near(event, "[data-call]");
  if (button instanceof HTMLButtonElement) press(button);
});

main.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  if (form.dataset.api) {
    event.preventDefault();
    submit(form);
  } else if ("add" in form.dataset) {
    event.preventDefault();
    addAddress(form, event.submitter?.getAttribute("value"));
  } else if ("busy" in form.dataset) {
    one(form, ".go", HTMLElement).setAttribute("aria-busy", "true");
    announce(texts.searching);
  }
});

// --- collections

const into = () => encodeURIComponent(one(main, "#into", HTMLInputElement).value.trim());

/**
 * @param {HTMLFormElement} form
 * @param {string | null} [kind]
 */
async function addAddress(form, kind) {
  const panel = form.closest(".panel");
  const { url } = fields(form, (name) => name === "url");
  say(panel, texts.working);
  try {
    const path = kind === "site" ? "sites" : "documents";
    const done = await call("POST", `/api/collections/${into()}/${path}`, { url });
    await refresh();
    say(one(main, "[data-add]", HTMLElement).closest(".panel"), done.said);
  } catch (error) {
    say(panel, messageOf(error), true);
  }
}

/**
 * Add a line for a file; return where it says how it went.
 * @param {Element} list
 * @param {File} file
 */
function addUpload(list, file) {
  const row = document.createElement("li");
  const label = document.createElement("span");
  const said = document.createElement("span");
  label.textContent = file.name;
  said.textContent = "…";
  said.className = "small";
  row.append(label, said);
  list.append(row);
  return said;
}

/**
 * Send one file after the other: the server parses each in a worker.
 * @param {File[]} files
 */
async function upload(files) {
  const list = one(main, ".uploads", HTMLElement);
  const path = `/api/collections/${into()}/files`;
  let failed = false;
  const rows = files.map((file) => addUpload(list, file));
  for (const [n, file] of files.entries()) {
    rows[n].textContent = texts.working;
    try {
      const done = await call("POST", `${path}?name=${encodeURIComponent(file.name)}`, file);
      rows[n].textContent = done.said;
      rows[n].classList.add("ok");
    } catch (error) {
      failed = true;
      rows[n].textContent = messageOf(error);
      rows[n].classList.add("bad");
    }
  }
  const kept = [...list.children];
  await refresh();
  one(main, ".uploads", HTMLElement).replaceChildren(...kept);
  announce(failed ? texts.error : (kept.at(-1)?.textContent ?? ""));
}

for (const kind of /** @type {const} */ (["dragover", "dragleave", "drop"])) {
  main.addEventListener(kind, (event) => {
    const zone = near(event, "[data-drop]");
    if (!zone) return;
    event.preventDefault();
    zone.classList.toggle("over", kind === "dragover");
    if (kind === "drop") upload([...(event.dataTransfer?.files ?? [])]);
  });
}
main.addEventListener("change", (event) => {
  const input = event.target;
  if (near(event, "[data-drop]") && input instanceof HTMLInputElement) {
    upload([...(input.files ?? [])]);
  }
});

// --- jobs

let watching = false;
watch();

/** @param {string} html */
function showJobs(html) {
  const focused = main.querySelector("#jobs :focus")?.getAttribute("data-call");
  put(byId("jobs"), html);
  if (!focused) return;
  const again = main.querySelector(`#jobs [data-call="${CSS.escape(focused)}"]`);
  if (again instanceof HTMLElement) again.focus();
}

async function watch() {
  if (watching || !main.querySelector("[data-watch]")) return;
  watching = true;
  let html = ""; // that is not shown yet
  try {
    for await (const [name, data] of events("POST", "/api/jobs/watch", {})) {
      if (name === "jobs") html = data.html;
      // A button that is replaced while it is pressed would not be clicked.
      if (html && !main.querySelector("#jobs :active")) {
        showJobs(html);
        html = "";
      }
    }
    if (html) showJobs(html);
  } catch {
    // the page is left, or the server stops: what is shown stays
  } finally {
    watching = false;
  }
}
