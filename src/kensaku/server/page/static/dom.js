// What the views share: find elements, put the server's HTML in place, say how something went.

/**
 * Return an element that the templates always write.
 * @param {string} id
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`#${id} is missing`);
  return found;
}

/**
 * Return the first match, which the templates always write.
 * @template {Element} T
 * @param {ParentNode} place
 * @param {string} selector
 * @param {new () => T} kind
 */
export function one(place, selector, kind) {
  const found = place.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`${selector} is missing`);
  return found;
}

/**
 * Return the element of an event, or the one around it, that matches.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export const near = (event, selector) =>
  event.target instanceof Element ? event.target.closest(selector) : null;

/**
 * Parse HTML that the server's templates wrote and escaped.
 * @param {string} html
 */
export function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

/**
 * Replace what is in an element by HTML that the server's templates wrote and escaped.
 * @param {Element} element
 * @param {string} html
 */
export const put = (element, html) => element.replaceChildren(fragment(html));

/**
 * Tell screen readers.
 * @param {string} text
 */
export const announce = (text) => {
  byId("live").textContent = text;
};

/**
 * Say in the status line of a form or hit how it goes; where there is none, tell screen readers.
 * @param {Element | null} place
 * @param {string} text
 */
export function say(place, text, bad = false) {
  const said = place?.querySelector(".said") ?? byId("live");
  said.textContent = text;
  said.classList.toggle("bad", bad);
}

/**
 * Return the fields of a form that are to be sent: the filled ones, unless `keep` says otherwise.
 * @param {HTMLFormElement} form
 * @param {(name: string, value: FormDataEntryValue) => boolean} keep
 * @param {HTMLElement | null} button
 */
export const fields = (form, keep = (_, value) => value !== "", button = null) =>
  Object.fromEntries([...new FormData(form, button)].filter(([name, value]) => keep(name, value)));

/**
 * Return the element that is `step` away from the one in focus; the first or last if none is.
 * @param {Element[]} all
 * @param {number} step
 * @returns {Element | undefined}
 */
export function neighbour(all, step) {
  const now = all.findIndex((element) => element.contains(document.activeElement));
  if (now < 0) return step > 0 ? all[0] : all.at(-1);
  return all[now + step];
}

/**
 * Whether a key is for the browser or for an open dialog, and not for the view.
 * @param {KeyboardEvent} event
 */
export const isForOthers = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null;

/**
 * Return what to tell the person about an error.
 * @param {unknown} error
 */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));
