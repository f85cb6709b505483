// The other views: buttons and forms that call the API, dropped files, jobs that are watched.
// A view is written by the server; after a change it is fetched again.

import { announce, call, events, refresh, texts } from "./server.js";

const main = document.getElementById("content");

const sayIn = (place, text, bad = false) => {
  const said = place?.querySelector(".said") ?? document.getElementById("live");
  said.textContent = text;
  said.classList.toggle("bad", bad);
};

async function press(button) {
  if (button.dataset.sure && !confirm(button.dataset.sure)) return;
  const [method, path] = button.dataset.call.split(" ");
  button.disabled = true;
  try {
    await call(method, path, button.dataset.body ? JSON.parse(button.dataset.body) : undefined);
    if (button.dataset.then) return location.assign(button.dataset.then);
    await refresh();
    main.focus();
    watch();
  } catch (error) {
    button.disabled = false;
    button.insertAdjacentElement("afterend", Object.assign(document.createElement("span"), { className: "small bad", textContent: error.message, role: "alert" }));
  }
}

async function submit(form) {
  const [method, path] = form.dataset.api.split(" ");
  const fields = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
  sayIn(form, texts.working);
  try {
    const done = await call(method, path, fields);
    if ("secret" in form.dataset) {
      await refresh();
      const box = main.querySelector(".secret");
      box.querySelector("code").textContent = done.key;
      box.hidden = false;
      box.querySelector("[data-copy]").focus();
      announce(box.textContent);
    } else await refresh();
  } catch (error) {
    sayIn(form, error.message, true);
  }
}

main.addEventListener("click", (event) => {
  const button = event.target.closest("[data-call]");
  if (button) press(button);
});

main.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.api) { event.preventDefault(); submit(form); }
  else if ("add" in form.dataset) { event.preventDefault(); addAddress(form, event.submitter?.value); }
  else if ("busy" in form.dataset) { form.querySelector(".go").setAttribute("aria-busy", "true"); announce(texts.searching); }
});

// --- collections

const into = () => encodeURIComponent(document.getElementById("into").value.trim());

async function addAddress(form, kind) {
  const panel = form.closest(".panel"), url = form.elements.url.value;
  sayIn(panel, texts.working);
  try {
    const path = kind === "site" ? "sites" : "documents";
    const done = await call("POST", `/api/collections/${into()}/${path}`, { url });
    await refresh();
    sayIn(main.querySelector("[data-add]").closest(".panel"), done.said);
  } catch (error) {
    sayIn(panel, error.message, true);
  }
}

async function upload(files) {  // one after the other: the server parses each in a worker
  const list = main.querySelector(".uploads"), name = into();
  let failed = false;
  const rows = files.map((file) => {
    const row = document.createElement("li"), label = document.createElement("span"), said = document.createElement("span");
    label.textContent = file.name;
    said.textContent = "…";
    said.className = "small";
    row.append(label, said);
    list.append(row);
    return said;
  });
  for (const [n, file] of files.entries()) {
    rows[n].textContent = texts.working;
    try {
      const done = await call("POST", `/api/collections/${name}/files?name=${encodeURIComponent(file.name)}`, file);
      rows[n].textContent = done.said;
      rows[n].classList.add("ok");
    } catch (error) {
      failed = true;
      rows[n].textContent = error.message;
      rows[n].classList.add("bad");
    }
  }
  const kept = [...list.children];
  await refresh();
  main.querySelector(".uploads").replaceChildren(...kept);
  announce(failed ? texts.error : kept.at(-1)?.textContent ?? "");
}

for (const kind of ["dragover", "dragleave", "drop"]) {
  main.addEventListener(kind, (event) => {
    const zone = event.target.closest("[data-drop]");
    if (!zone) return;
    event.preventDefault();
    zone.classList.toggle("over", kind === "dragover");
    if (kind === "drop") upload([...event.dataTransfer.files]);
  });
}
main.addEventListener("change", (event) => {
  if (event.target.closest("[data-drop]")) upload([...event.target.files]);
});

// --- jobs

let watching = false;
watch();

function showJobs(html) {
  const focused = main.querySelector("#jobs :focus")?.dataset.call;
  const template = document.createElement("template");
  template.innerHTML = html;  // written and escaped by the server's templates
  document.getElementById("jobs").replaceChildren(template.content);
  if (focused) main.querySelector(`#jobs [data-call="${CSS.escape(focused)}"]`)?.focus();
}

async function watch() {
  if (watching || !main.querySelector("[data-watch]")) return;
  watching = true;
  let html = "";  // that is not shown yet
  try {
    for await (const [name, data] of events("POST", "/api/jobs/watch", {})) {
      if (name === "jobs") html = data.html;
      // A button that is replaced while it is pressed would not be clicked.
      if (html && !main.querySelector("#jobs :active")) { showJobs(html); html = ""; }
    }
    if (html) showJobs(html);
  } catch { /* the page is left, or the server stops: what is shown stays */ }
  finally { watching = false; }
}
