import { evaluateRetrieval } from './retrieval/evaluate-retrieval.ts';

const [question, ...args] = process.argv.slice(2);
if (question === 'retrieval') {
  process.exitCode = await evaluateRetrieval(args);
} else {
  console.error('usage: npm run eval -- retrieval [--docs DIR] [--queries FILE.jsonl] [--json]');
  process.exitCode = 2;
}
