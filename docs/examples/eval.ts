// An eval: recorded once with a model, then replayed without one. A changed prompt is a miss that is named.
import { contains, createTape, defineEval, runEval, trajectory } from 'agent-machines/evals';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { calculator } from 'agent-machines/tools';

const evalWith = (instructions: string) =>
  defineEval({
    name: 'sums',
    workflow: (model) => toolAgent({ model, tools: [calculator()], instructions }),
    cases: [{ name: 'apples', input: { input: 'A dozen apples at 5 euros each?' }, expected: 60 }],
    graders: [contains('answer'), trajectory(['agent -> tools', 'tools -> agent', 'agent -> done'])],
  });

// stands for a provider
const model = scriptedModel([
  { reply: { toolCalls: [{ name: 'calculator', arguments: { expression: '5 * 12' } }] } },
  { reply: '60 euros.' },
]);
const tape = createTape();
await runEval(evalWith('Be brief.'), { tape, mode: 'record', model });

const { graders } = await runEval(evalWith('Be brief.'), { tape });
for (const { name, passed, runs } of graders) console.log(`${name}: ${passed} of ${runs}`);
const changed = await runEval(evalWith('Be polite.'), { tape });
console.log(changed.rows[0]?.error?.message);
