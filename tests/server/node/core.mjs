// Calls every method of @tavily/core, and prints what each gave as JSON, an error as {error}.
// node core.mjs BASE_URL KEY SITE
import { tavily } from "@tavily/core";

const [apiBaseURL, apiKey, site] = process.argv.slice(2);
const client = tavily({ apiKey, apiBaseURL });
const said = {};

async function record(name, call) {
  try {
    said[name] = await call();
  } catch (error) {
    said[name] = { error: error.message };
  }
}

async function text(stream) {
  let all = "";
  for await (const chunk of stream) all += chunk;
  return all;
}

async function report(question) {
  let reply = await client.research(question, { model: "mini" });
  const first = reply.status;
  while (["pending", "in_progress"].includes(reply.status)) {
    await new Promise((done) => setTimeout(done, 200));
    reply = await client.getResearch(reply.requestId ?? reply.request_id);
  }
  return { first, ...reply };
}

await record("search", () =>
  client.search("otters", {
    searchDepth: "basic",
    topic: "general",
    maxResults: 2,
    includeAnswer: true,
    includeImages: true,
    includeImageDescriptions: true,
    includeRawContent: "markdown",
    includeFavicon: true,
    includeUsage: true,
    includeDomains: [],
    timeRange: "year",
    country: "japan",
    chunksPerSource: 2,
  }),
);
await record("plain", () => client.search("otters", {}));
await record("qna", () => client.searchQNA("What do otters hold?", { searchDepth: "basic" }));
await record("extract", () => client.extract([`${site}otters`, `${site}missing`], {}));
await record("crawl", () => client.crawl(site, { limit: 5, allowExternal: false }));
await record("map", () => client.map(site, { limit: 5 }));
await record("research", () => report("What do otters hold?"));
await record("stream", async () =>
  text(await client.research("What do otters hold?", { model: "mini", stream: true })),
);
await record("wrong", () => client.search("otters", { topic: "sport" }));
await record("keyless", () => tavily({ apiBaseURL }).search("otters", {}));
// A refused stream that nobody reads would keep the process for as long as its connection lives.
process.stdout.write(JSON.stringify(said), () => process.exit());
