// Asks by Vercel's `ai` in one way, and prints what came of it as JSON.
//   node check.mjs WAY URL KEY SITE
import { createAnthropic } from "@ai-sdk/anthropic";
import { createMCPClient } from "@ai-sdk/mcp";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, Output, streamText } from "ai";
import { z } from "zod";

const [way, url, apiKey, site] = process.argv.slice(2);
const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey });
const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey });
const compatible = createOpenAICompatible({
  name: "kensaku",
  baseURL: `${url}/v1`,
  apiKey,
  supportsStructuredOutputs: true,
});
const prompt = "When was Python 3.14 released?";

async function whole(options) {
  const done = await generateText({ prompt, maxRetries: 0, ...options });
  const calls = done.steps.flatMap((step) => step.toolCalls.map((call) => call.toolName));
  return { text: done.text, sources: done.sources.map((source) => source.url), calls };
}

async function streamed(options) {
  const stream = streamText({
    prompt,
    maxRetries: 0,
    onError: ({ error }) => fail(error),
    ...options,
  });
  const seen = { text: "", sources: [], calls: [] };
  for await (const part of stream.fullStream) {
    if (part.type === "text-delta") seen.text += part.text;
    if (part.type === "source") seen.sources.push(part.url);
    if (part.type === "tool-call") seen.calls.push(part.toolName);
  }
  return seen;
}

function fail(error) {
  throw error;
}

async function both(options) {
  return { whole: await whole(options), streamed: await streamed(options) };
}

async function object(model) {
  const output = Output.object({ schema: z.object({ date: z.string() }) });
  return (await generateText({ model, prompt, output, maxRetries: 0 })).output;
}

const ways = {
  chat: () => both({ model: openai.chat("kensaku") }),
  compatible: () => both({ model: compatible("kensaku") }),
  responses: () =>
    both({ model: openai.responses("scripted"), tools: { web_search: openai.tools.webSearch() } }),
  messages: () =>
    both({
      model: anthropic("scripted"),
      tools: { web_search: anthropic.tools.webSearch_20250305({ maxUses: 3 }) },
    }),
  fetch: () =>
    both({
      model: anthropic("scripted"),
      prompt: `What does ${site}/pep-0745 say?`,
      tools: { web_fetch: anthropic.tools.webFetch_20250910({ maxUses: 1 }) },
    }),
  objects: async () => ({
    chat: await object(openai.chat("scripted")),
    responses: await object(openai.responses("scripted")),
    compatible: await object(compatible("scripted")),
  }),
  mcp: async () => {
    const headers = { Authorization: `Bearer ${apiKey}` };
    const client = await createMCPClient({
      transport: { type: "http", url: `${url}/mcp`, headers },
    });
    const tools = await client.tools();
    const said = await both({ model: openai.chat("scripted"), tools, stopWhen: isStepCount(3) });
    await client.close();
    return said;
  },
};

console.log(JSON.stringify(await ways[way]()));
