// Searches by Vane's own module, and prints what it found.
//   SEARXNG_API_URL=… node --import tsx check.mts QUERY
import { searchSearxng } from "./src/lib/searxng";

const options = { language: "en", categories: ["general"], pageno: 1 };
console.log(JSON.stringify(await searchSearxng(process.argv[2], options)));
