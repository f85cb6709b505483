// Holds one conversation by AG-UI's own client, and prints what it saw of each run.
//   node agent.mjs URL KEY '["question", {"resume": {"action": "proceed"}}, "follow-up"]'
import { HttpAgent } from "@ag-ui/client";

const [url, key, script] = process.argv.slice(2);
const agent = new HttpAgent({ url, headers: { Authorization: `Bearer ${key}` }, threadId: "t1" });
const runs = [];
for (const [n, step] of JSON.parse(script).entries()) {
  const seen = [];
  const options = { runId: `r${n}` };
  if (typeof step === "string") {
    agent.addMessage({ id: `m${n}`, role: "user", content: step });
  } else {
    options.resume = agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: step.cancel ? "cancelled" : "resolved",
      payload: step.resume,
    }));
  }
  let error = null;
  try {
    await agent.runAgent(options, { onEvent: ({ event }) => void seen.push(event) });
  } catch (caught) {
    error = String(caught);
  }
  runs.push({ events: seen, error, interrupts: agent.pendingInterrupts });
}
console.log(JSON.stringify({ runs, messages: agent.messages }));
