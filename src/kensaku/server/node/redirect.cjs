// Points Node.js programs that have Tavily's address built in at another server:
//
//   NODE_OPTIONS="--require …/redirect.cjs" TAVILY_API_BASE_URL=http://127.0.0.1:8787 npx tavily-mcp
//
// Requests to api.tavily.com go to the base URL; all others are left alone.
"use strict";

const http = require("node:http");
const https = require("node:https");
const { urlToHttpOptions } = require("node:url");

const HOST = "api.tavily.com";
// Fail at once without it: the requests, and the key in them, would go to Tavily.
if (!process.env.TAVILY_API_BASE_URL) throw new Error("redirect.cjs: set TAVILY_API_BASE_URL");
const base = new URL(process.env.TAVILY_API_BASE_URL);
const prefix = base.pathname.replace(/\/+$/, "");
const native = { request: https.request, fetch: globalThis.fetch };
const send = base.protocol === "https:" ? native.request : http.request;

/** request(url | options[, options][, callback]) as one object and the callback. */
function read(args) {
  const [target, ...rest] = args;
  const isUrl = typeof target === "string" || target instanceof URL;
  const callback = rest.find((argument) => typeof argument === "function");
  const more = rest.find((argument) => argument && typeof argument === "object");
  return [isUrl ? { ...urlToHttpOptions(new URL(target)), ...more } : { ...target }, callback];
}

function redirect(options) {
  const headers = Object.entries(options.headers ?? {});
  return {
    ...options,
    ...urlToHttpOptions(base),
    path: prefix + (options.path ?? "/"),
    host: undefined,
    port: base.port || undefined,
    headers: Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== "host")),
    // Those of the first address: one for TLS cannot open a plain connection.
    agent: undefined,
    servername: undefined,
  };
}

function request(...args) {
  const [options, callback] = read(args);
  const host = options.hostname ?? (options.host ?? "").replace(/:\d+$/, "");
  return host === HOST ? send(redirect(options), callback) : native.request(...args);
}

https.request = request;
https.get = (...args) => {
  const sent = request(...args);
  sent.end();
  return sent;
};
globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input, "http://relative.invalid");
  if (url.hostname !== HOST) return native.fetch(input, init);
  const target = base.origin + prefix + url.pathname + url.search;
  return native.fetch(input instanceof Request ? new Request(target, input) : target, init);
};
require("node:module").syncBuiltinESMExports(); // for `import { request } from "node:https"`
