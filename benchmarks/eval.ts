import { evaluateRetrieval } from './retrieval/evaluate-retrieval.ts';

const [first, ...rest] = process.argv.slice(2);
if (first === undefined || first === 'retrieval') {
  process.exitCode = await evaluateRetrieval(rest);
} else {
  console.error('usage: npm run eval [-- retrieval [--docs DIR] [--queries FILE.jsonl] [--json]]');
  process.exitCode = 2;
}
