// Calls LibreChat's search tool as LibreChat makes it of its settings, and prints the message.
//   node check.mjs '{"searchProvider": "searxng", …}' '{"query": "…"}'
import { createSearchTool } from "@librechat/agents";

const [settings, args] = process.argv.slice(2).map((text) => JSON.parse(text));
const quiet = { debug() {}, info() {}, warn: console.error, error: console.error };
const tool = createSearchTool({ ...settings, logger: quiet });
const call = { type: "tool_call", id: "call_0", name: tool.name, args };
const { content, artifact } = await tool.invoke(call);
process.stdout.write(JSON.stringify({ content, found: artifact.web_search }), () => process.exit());
