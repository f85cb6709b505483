// Requests of the page to its server: JSON, files, events. Every change carries the token.

import { byId, one } from "./dom.js";

/** @param {string} name */
const meta = (name) => one(document, `meta[name="kensaku-${name}"]`, HTMLMetaElement).content;
export const root = meta("root");
/** @type {Record<string, string>} */
export const texts = JSON.parse(byId("texts").textContent ?? "");

/** What the server refused, with the remedy. */
export class Refused extends Error {
  /** @param {{ message: string, remedy?: string }} error */
  constructor(error) {
    super([error.message, error.remedy].filter(Boolean).join("; "));
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body] a file, or what becomes JSON
 * @param {AbortSignal} [signal]
 * @param {Record<string, string>} more headers
 */
async function send(method, path, body, signal, more = {}) {
  const file = body instanceof Blob;
  /** @type {Record<string, string>} */
  const headers = { "X-Kensaku-Token": meta("token"), ...more };
  if (body !== undefined) {
    headers["Content-Type"] = file ? "application/octet-stream" : "application/json";
  }
  const sent = body === undefined || file ? body : JSON.stringify(body);
  let reply;
  try {
    reply = await fetch(root + path, { method, headers, body: sent, signal });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Refused({ message: texts.lost });
  }
  if (reply.ok) return reply;
  if (reply.status === 401) location.reload(); // the session has ended: the server asks for a key
  const said = await reply.json().catch(() => ({}));
  throw new Refused(said.error ?? { message: `${texts.error} (${reply.status})` });
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export const call = async (method, path, body) => (await send(method, path, body)).json();

/**
 * Server-sent events: yields [name, data, id].
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {AbortSignal} [signal]
 * @param {string} [last] the id of the event to go on behind
 * @returns {AsyncGenerator<[string, any, string | undefined]>}
 */
export async function* events(method, path, body, signal, last) {
  const reply = await send(method, path, body, signal, last ? { "Last-Event-ID": last } : {});
  if (!reply.body) return;
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const whole = text.split("\n\n");
    text = whole.pop() ?? "";
    for (const event of whole) {
      const name = /^event: (.*)$/m.exec(event);
      const data = /^data: (.*)$/m.exec(event);
      const id = /^id: (.*)$/m.exec(event);
      if (name && data) yield [name[1], JSON.parse(data[1]), id?.[1]];
    }
  }
}

/** Fetch the page again and replace its main part: views are written once, on the server. */
export async function refresh(address = location.href) {
  const reply = await fetch(address, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const open = [...document.querySelectorAll("main details[open][id]")].map((d) => d.id);
  byId("content").replaceChildren(...one(page, "#content", HTMLElement).childNodes);
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
}
