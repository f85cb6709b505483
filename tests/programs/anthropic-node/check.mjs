// Asks by Anthropic's client with its server tools, and prints what came of it as JSON.
//   node check.mjs URL KEY SITE
import Anthropic from "@anthropic-ai/sdk";

const [baseURL, apiKey, site] = process.argv.slice(2);
const client = new Anthropic({ baseURL, apiKey, maxRetries: 0 });
const search = { type: "web_search_20250305", name: "web_search", max_uses: 2 };
const fetch = { type: "web_fetch_20250910", name: "web_fetch", max_uses: 1 };
const asked = {
  model: "scripted",
  max_tokens: 500,
  messages: [
    { role: "user", content: `When was Python 3.14 released? See ${site}/pep-0745, too.` },
  ],
};

function shown(message) {
  const texts = message.content.filter((block) => block.type === "text");
  return {
    kinds: message.content.map((block) => block.type),
    text: texts.map((block) => block.text).join(""),
    sources: texts.flatMap((block) =>
      (block.citations ?? []).map((c) => c.url ?? c.document_title),
    ),
    stop: message.stop_reason,
    used: message.usage.server_tool_use,
  };
}

const ways = {
  search: async () => {
    const first = await client.messages.create({ ...asked, tools: [search] });
    const stream = client.messages.stream({ ...asked, tools: [search] });
    const streamed = shown(await stream.finalMessage());
    const next = await client.messages.create({
      ...asked,
      tools: [search],
      messages: [
        ...asked.messages,
        { role: "assistant", content: first.content },
        { role: "user", content: "What did I ask?" },
      ],
    });
    return { whole: shown(first), streamed, next: shown(next) };
  },
  fetch: async () => ({
    whole: shown(await client.beta.messages.create({ ...asked, tools: [fetch] })),
  }),
  count: async () =>
    await client.messages.countTokens({ model: "scripted", messages: asked.messages }),
};

console.log(JSON.stringify(await ways[process.argv[5]]()));
