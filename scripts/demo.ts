// Shows what the package does, on this repository's own documents, with no key and no network. Ends with 1 when anything of it did not happen.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createRuntime, type RunEvent, type RunResult, type Tool } from 'agent-machines';
import { type PlanExecuteOutput, planExecute, planExecuteRules } from 'agent-machines/machines/plan-execute';
import { offlineModel } from 'agent-machines/models';
import { bm25Retriever } from 'agent-machines/retrieval';
import { folderDocuments } from 'agent-machines/retrieval/node';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { calculator, getCurrentDatetime, searchDocuments, summarize } from 'agent-machines/tools';
import { readFile } from 'agent-machines/tools/node';
import { Timeline } from '../src/cli/timeline.ts';
import { workflowNamed } from '../src/cli/workflows.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-machines-demo-'));
const store = sqliteStore({ path: join(folder, 'demo.db') });
const runtime = createRuntime({ store });
const { documents } = await folderDocuments({ root: '.' });
const tools: readonly Tool[] = [
  calculator(),
  getCurrentDatetime(),
  searchDocuments({ retriever: bm25Retriever(documents) }),
  summarize(),
  readFile({ root: '.' }),
];
const cli = workflowNamed('plan-execute');
const failures: string[] = [];

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const title = (text: string): void => say(`\n━━ ${text} ${'━'.repeat(Math.max(2, 90 - text.length))}`);

/** Notes whether something happened that had to. */
function check(what: string, happened: boolean): void {
  say(`${happened ? '✓' : '✗ DID NOT HAPPEN:'} ${what}`);
  if (!happened) failures.push(what);
}

interface Shown {
  readonly finalState: string;
  readonly output: PlanExecuteOutput;
  readonly path: readonly string[];
  readonly modelCalls: number;
}

/** Asks, shows the timeline, and gives what came of it. */
async function ask(question: string, workflow = planExecute({ tools })): Promise<Shown> {
  say(`> ${question}`);
  const run = runtime.start(workflow, { input: question });
  const timeline = new Timeline(
    cli,
    async (key) => (await runtime.history(run.id)).find((entry) => entry.kind === 'node' && entry.key === key)?.outcome,
  );
  const path: string[] = [];
  for await (const event of run.events()) {
    if (event.type === 'node-start') path.push(event.key.replace(/#.*/, ''));
    await timeline.show(event);
  }
  const result = await run.result;
  if (result.status !== 'done') throw new Error(`The run ended ${JSON.stringify(result)}.`);
  timeline.finish(result.output.result);
  return { finalState: result.finalState, output: result.output, path, modelCalls: timeline.modelCalls };
}

const toolsOf = ({ output }: Shown): string => output.pastSteps.map(({ step }) => step.tool).join(' ');
const visits = ({ path }: Shown, node: string): number => path.filter((name) => name === node).length;

async function chained(): Promise<void> {
  title('1 · A chain: search, then summarise what was found');
  const shown = await ask('이 저장소의 문서에서 체크포인트를 찾아 요약해줘');
  check(
    'search_documents, then summarize, in two waves',
    toolsOf(shown) === 'search_documents summarize' && visits(shown, 'executor') === 2,
  );
  check('the answer quotes this repository and names the files', /“[^”]+” \(docs\/[\w/.-]+/.test(shown.output.result));
  check('3 model calls', shown.modelCalls === 3);
}

async function parallel(): Promise<void> {
  title('2 · In parallel: steps that do not need each other');
  const shown = await ask('docs에서 interrupt를 찾아 요약하고 7*6도 계산해줘');
  check('two steps in the first wave, one in the second', visits(shown, 'executor') === 2 && shown.output.pastSteps.length === 3);
  check('7*6 = 42', shown.output.result.includes('7*6 = 42'));
  check('3 model calls, whatever the number of tools', shown.modelCalls === 3);
}

async function replanned(): Promise<void> {
  title('3 · A tool fails, and the plan is made anew');
  const shown = await ask('docs/journal-guide.md 파일을 읽고 요약해줘');
  check('read_file failed, search_documents took its place', toolsOf(shown) === 'read_file search_documents summarize');
  check('it was replanned once, with 4 model calls', visits(shown, 'replanner') === 1 && shown.modelCalls === 4);
  check('the run was done', shown.finalState === 'done');
}

async function refused(): Promise<void> {
  title('4 · A plan that the gate refuses');
  say('(the model is made to plan with a tool that it was not offered)');
  const called: string[] = [];
  const watched = tools.map(
    (tool): Tool => ({
      ...tool,
      execute: (args, context) => {
        called.push(tool.name);
        return tool.execute(args, context);
      },
    }),
  );
  const steps = [
    { step_id: 1, tool: 'calculator', input: '1+1' },
    { step_id: 2, tool: 'delete_files', input: '/' },
  ];
  const model = offlineModel({ ...planExecuteRules, 'plan_execute.planner': () => ({ steps }) });
  const shown = await ask('1+1 계산하고 정리해줘', planExecute({ tools: watched, model }));
  check(
    'the run was stopped, and says why',
    shown.finalState === 'stopped' && shown.output.result.includes('"delete_files", which is not offered'),
  );
  check('no tool ran, not even the one that was fine', called.length === 0 && visits(shown, 'executor') === 0);
  check('2 model calls', shown.modelCalls === 2);
}

/** Runs the process that is killed, and hands over its events as they come. */
function start(path: string, effects: string, runId?: string) {
  const script = new URL('demo-process.ts', import.meta.url).pathname;
  const args = ['--conditions=@agent-machines/source', script, path, effects, ...(runId === undefined ? [] : [runId])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  return { child, lines, ended: new Promise<NodeJS.Signals | null>((resolve) => child.on('close', (_code, signal) => resolve(signal))) };
}

async function killed(): Promise<void> {
  title('5 · The process is killed in the middle of a plan, and another one goes on');
  const path = join(folder, 'killed.db');
  const effects = join(folder, 'effects.txt');
  const first = start(path, effects);
  let runId = '';
  let calls = 0;
  for await (const line of first.lines) {
    const event = JSON.parse(line) as RunEvent;
    if (event.type === 'run-start') runId = event.runId;
    // the third call is in flight: two are committed
    if (event.type === 'tool-start' && ++calls === 3) first.child.kill('SIGKILL');
  }
  const signal = await first.ended;
  const before = readFileSync(effects, 'utf8').trim().split('\n');
  say(`  process ${first.child.pid} was killed (${signal}) after it had called: ${before.join(', ')}`);

  const second = start(path, effects, runId);
  const events: RunEvent[] = [];
  let result: RunResult<PlanExecuteOutput> | undefined;
  for await (const line of second.lines) {
    const value = JSON.parse(line) as RunEvent | ({ type: 'result' } & RunResult<PlanExecuteOutput>);
    if (value.type === 'result') result = value;
    else events.push(value);
  }
  await second.ended;
  const after = readFileSync(effects, 'utf8').trim().split('\n').slice(before.length);
  say(`  process ${second.child.pid} resumed ${runId} and called: ${after.join(', ')}`);
  const other = createRuntime({ store: sqliteStore({ path }) });
  const entries = await other.history(runId);
  const timeline = new Timeline(cli, async (key) => entries.find((entry) => entry.kind === 'node' && entry.key === key)?.outcome);
  for (const event of events) await timeline.show(event);
  timeline.finish(result?.status === 'done' ? result.output.result : undefined);
  check('the first process died of SIGKILL', signal === 'SIGKILL');
  check('the answer is complete', result?.status === 'done' && result.output.result === 'I have counted to 5.');
  check('no committed call was made again: only the one in flight', before.join() === '0+1,1+1,2+1' && after.join() === '2+1,3+1,4+1');
  check('3 model calls in both processes together', timeline.modelCalls === 3);
}

const begun = performance.now();
try {
  for (const scene of [chained, parallel, replanned, refused, killed]) await scene();
} finally {
  await runtime.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}
say(
  `\n${failures.length === 0 ? 'All of it happened' : `${failures.length} things did not happen`}, in ${((performance.now() - begun) / 1000).toFixed(1)} s.`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
