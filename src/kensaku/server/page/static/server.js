// Requests of the page to its server: JSON, files, events. Every change carries the token.

const meta = (name) => document.querySelector(`meta[name="kensaku-${name}"]`).content;
export const root = meta("root");
export const texts = JSON.parse(document.getElementById("texts").textContent);

export class Refused extends Error {
  constructor(error) {
    super([error.message, error.remedy].filter(Boolean).join("; "));
  }
}

async function send(method, path, body, signal, more = {}) {
  const file = body instanceof Blob;
  const headers = { "X-Kensaku-Token": meta("token"), ...more };
  if (body !== undefined) headers["Content-Type"] = file ? "application/octet-stream" : "application/json";
  const sent = body === undefined || file ? body : JSON.stringify(body);
  let reply;
  try {
    reply = await fetch(root + path, { method, headers, body: sent, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused({ message: texts.lost });
  }
  if (reply.ok) return reply;
  if (reply.status === 401) location.reload();  // the session has ended: the server asks for a key
  const said = await reply.json().catch(() => ({}));
  throw new Refused(said.error ?? { message: `${texts.error} (${reply.status})` });
}

export const call = async (method, path, body) => (await send(method, path, body)).json();

// Server-sent events: yields [name, data, id]. `last`: the id of the event to go on behind.
export async function* events(method, path, body, signal, last) {
  const reply = await send(method, path, body, signal, last ? { "Last-Event-ID": last } : {});
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const whole = text.split("\n\n");
    text = whole.pop();
    for (const event of whole) {
      const name = /^event: (.*)$/m.exec(event), data = /^data: (.*)$/m.exec(event);
      const id = /^id: (.*)$/m.exec(event);
      if (name && data) yield [name[1], JSON.parse(data[1]), id?.[1]];
    }
  }
}

// Fetch the page again and put its main part in place of the old one: views are written once, on the server.
export async function refresh(address = location.href) {
  const reply = await fetch(address, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const open = [...document.querySelectorAll("main details[open][id]")].map((d) => d.id);
  document.getElementById("content").replaceChildren(...page.getElementById("content").childNodes);
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
}

export const announce = (text) => { document.getElementById("live").textContent = text; };
