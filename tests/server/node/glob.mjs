// Lets a program for Node 22 run on Node 20, which has no fs.globSync: node --import ./glob.mjs …
import fs from "node:fs";
import { register } from "node:module";

const own = `export * from "node:fs"; export { default } from "node:fs";
export const globSync = () => { throw new Error("not in this version of Node"); };`;
const hooks = `const own = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(own)}`)};
export const resolve = (name, context, next) =>
  name === "fs" ? { url: own, shortCircuit: true } : next(name, context);`;
if (!fs.globSync) register(`data:text/javascript,${encodeURIComponent(hooks)}`);
