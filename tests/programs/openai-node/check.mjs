// Asks by OpenAI's client in one way, and prints what came of it as JSON.
//   node check.mjs WAY URL KEY
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";

const [way, url, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
const prompt = "When was Python 3.14 released?";
const messages = [{ role: "user", content: prompt }];
const cited = (annotations = []) => annotations.map((a) => (a.url_citation ?? a).url);

async function chat(more) {
  const done = await client.chat.completions.create({ messages, ...more });
  const { message } = done.choices[0];
  const stream = client.chat.completions.stream({ messages, ...more });
  const pieces = await stream.finalContent();
  return {
    whole: { text: message.content, sources: cited(message.annotations) },
    streamed: { text: pieces, sources: [] },
  };
}

function shown(response) {
  const parts = response.output.flatMap((item) => item.content ?? []);
  return {
    text: response.output_text,
    sources: parts.flatMap((part) => cited(part.annotations)),
    kinds: response.output.map((item) => item.type),
  };
}

async function responses() {
  const asked = { model: "scripted", input: prompt, tools: [{ type: "web_search" }] };
  const first = await client.responses.create(asked);
  const stream = client.responses.stream(asked);
  const events = [];
  stream.on("event", (event) => events.push(event.type));
  const streamed = shown(await stream.finalResponse());
  const next = await client.responses.create({
    model: "scripted",
    input: "What did I ask?",
    previous_response_id: first.id,
  });
  return { whole: shown(first), streamed, events, next: next.output_text };
}

async function objects() {
  const schema = z.object({ date: z.string() });
  const completion = await client.chat.completions.parse({
    model: "scripted",
    messages,
    response_format: zodResponseFormat(schema, "release"),
  });
  const response = await client.responses.parse({
    model: "scripted",
    input: prompt,
    text: { format: zodTextFormat(schema, "release") },
  });
  return { chat: completion.choices[0].message.parsed, responses: response.output_parsed };
}

async function models() {
  const listed = [];
  for await (const model of client.models.list()) listed.push(model.id);
  return { listed, one: (await client.models.retrieve("kensaku")).id };
}

const ways = {
  assistant: () => chat({ model: "kensaku" }),
  chat: () => chat({ model: "scripted", web_search_options: { search_context_size: "low" } }),
  responses,
  objects,
  models,
};

console.log(JSON.stringify(await ways[way]()));
