// Shows what the package does, on this repository's own documents, with no key and no network. Ends with 1 when anything of it did not happen.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createRuntime, type Run, type RunEvent, type RunResult, type Tool } from 'agent-machines';
import { loadContract } from 'agent-machines/contracts/node';
import { folderDocuments } from 'agent-machines/documents';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { type PlanExecuteOutput, planExecute, planExecuteRules } from 'agent-machines/machines/plan-execute';
import { offlineModel } from 'agent-machines/models';
import { bm25Retriever } from 'agent-machines/search';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { calculator, getCurrentDatetime, machineTimeZone, searchDocuments, summarize } from 'agent-machines/tools';
import { readFile } from 'agent-machines/tools/node';
import { answerOf } from '../src/cli/question-and-answer.ts';
import { Timeline } from '../src/cli/timeline.ts';
import { type RunView, viewOf, workflowNamed } from '../src/cli/workflows.ts';

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
const planner = planExecute({ tools });
const cli = await viewOf(workflowNamed('plan-execute'));
const failures: string[] = [];

process.stdout.write(`Time zone: ${machineTimeZone()}, the machine's.\n`);

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const title = (text: string): void => say(`\n━━ ${text} ${'━'.repeat(Math.max(2, 90 - text.length))}`);

/** Notes whether something happened that had to. */
function check(what: string, happened: boolean): void {
  say(`${happened ? '✓' : '✗ DID NOT HAPPEN:'} ${what}`);
  if (!happened) failures.push(what);
}

interface Shown<TOutput = PlanExecuteOutput> {
  readonly finalState: string;
  readonly output: TOutput;
  readonly path: readonly string[];
  /** How the calls of tools began and ended, in this order: `start calculator`, `end calculator`. */
  readonly calls: readonly string[];
  readonly modelCalls: number;
}

/** Asks, shows the timeline, and gives what came of it. */
const ask = (question: string, workflow = planner): Promise<Shown> => {
  say(`> ${question}`);
  return show(runtime.start(workflow, { input: question }), cli);
};

async function show<TOutput>(run: Run<TOutput>, shownAs: RunView): Promise<Shown<TOutput>> {
  const timeline = new Timeline(
    shownAs,
    async (key) => (await runtime.history(run.id)).find((entry) => entry.kind === 'node' && entry.key === key)?.outcome,
  );
  const path: string[] = [];
  const calls: string[] = [];
  for await (const event of run.events()) {
    if (event.type === 'node-start') path.push(event.key.replace(/#.*/, ''));
    if (event.type === 'tool-start') calls.push(`start ${event.tool}`);
    if (event.type === 'tool-end') calls.push(`end ${event.tool}`);
    await timeline.show(event);
  }
  const result = await run.result;
  if (!('output' in result)) throw new Error(`The run ended ${JSON.stringify(result)}.`);
  timeline.finish(answerOf(result.output as never));
  return { finalState: result.finalState, output: result.output, path, calls, modelCalls: timeline.modelCalls };
}

const toolsOf = ({ output }: Shown): string => output.pastSteps.map(({ step }) => step.tool).join(' ');
const visits = ({ path }: Pick<Shown, 'path'>, node: string): number => path.filter((name) => name === node).length;

async function chained(): Promise<void> {
  title('1 · A chain: search, then summarize the result');
  const shown = await ask('이 저장소의 문서에서 체크포인트를 찾아 요약해줘');
  check(
    'search_documents, then summarize once that has ended, in one visit of the executor',
    shown.calls.join() === 'start search_documents,end search_documents,start summarize,end summarize' && visits(shown, 'executor') === 1,
  );
  check('the answer quotes this repository and names the files', /“[^”]+” \(docs\/[\w/.-]+/.test(shown.output.answer));
  check('3 model calls', shown.modelCalls === 3);
}

async function parallel(): Promise<void> {
  title('2 · In parallel: independent steps');
  const shown = await ask('docs에서 interrupt를 찾아 요약하고 7*6도 계산해줘');
  const [first, second, third] = shown.calls;
  check(
    'the two independent steps overlap, and the third starts after the search',
    [first, second].join() === 'start search_documents,start calculator' &&
      third !== 'start summarize' &&
      shown.calls.indexOf('start summarize') > shown.calls.indexOf('end search_documents') &&
      visits(shown, 'executor') === 1 &&
      shown.output.pastSteps.length === 3,
  );
  check('7*6 = 42', shown.output.answer.includes('7*6 = 42'));
  check('3 model calls for any number of tools', shown.modelCalls === 3);
}

async function replanned(): Promise<void> {
  title('3 · A tool fails, and the plan is replaced');
  const shown = await ask('docs/journal-guide.md 파일을 읽고 요약해줘');
  check('read_file failed, search_documents replaced it', toolsOf(shown) === 'read_file search_documents summarize');
  check('it was replanned once, with 4 model calls', visits(shown, 'replanner') === 1 && shown.modelCalls === 4);
  check('the run was done', shown.finalState === 'done');
}

async function refused(): Promise<void> {
  title('4 · The gate rejects a plan');
  say('(the model plans with a tool that was not offered)');
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
  const shown = await ask('1+1 계산하고 정리해줘', planExecute({ id: 'plan_execute_refused', tools: watched, model }));
  check(
    'the run stopped and reports the reason',
    shown.finalState === 'stopped' && shown.output.error?.message.includes('"delete_files", which is not offered') === true,
  );
  check('no tool ran, not even the valid one', called.length === 0 && visits(shown, 'executor') === 0);
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
  title('5 · The process is killed in the middle of a plan, and another one resumes it');
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
  timeline.finish(result?.status === 'done' ? result.output.answer : undefined);
  check('the first process died of SIGKILL', signal === 'SIGKILL');
  check('the answer is complete', result?.status === 'done' && result.output.answer === 'I have counted to 5.');
  check('only the call in flight was repeated, no committed one', before.join() === '0+1,1+1,2+1' && after.join() === '2+1,3+1,4+1');
  check('3 model calls in both processes together', timeline.modelCalls === 3);
}

async function contract(): Promise<void> {
  title('6 · A conversation about a contract, in four turns');
  const examples = 'machines/contract-agent/examples';
  const workflow = contractAgent({
    contracts: [
      { contract: await loadContract(`${examples}/service.md`), standard: await loadContract(`${examples}/standard-service.md`) },
    ],
  });
  const view = await viewOf(workflowNamed('contract-agent'));
  const turn = (input: string) => {
    say(`> ${input}`);
    return show(runtime.start(workflow, { input }, { threadId: 'contract' }), view);
  };
  const first = await turn('지체상금은 하루에 얼마야?');
  check('the answer quotes 제22조 and cites it', /1,000분의 2.5/.test(first.output.answer) && first.output.sources[0]?.label === '제22조');
  const second = await turn('그 참조항목들 내용 정리해서 보여줘봐');
  check(
    'the second turn continues the first without a look-up, in 2 model calls',
    second.modelCalls === 2 && visits(second, 'execute_tools') === 0,
  );
  const third = await turn('표준계약서와 비교해서 빠진 조항이 있어?');
  check('the answer names what the contract lacks compared with the standard', /신의성실/.test(third.output.answer));
  const fourth = await turn('오늘 날씨 어때?');
  check('an off-topic question is declined without a model call', fourth.finalState === 'out_of_scope' && fourth.modelCalls === 0);
}

async function conversation(): Promise<void> {
  title('7 · A long conversation that remembers its beginning');
  const { documents: policies } = await folderDocuments({ root: 'machines/chat-agent/examples', include: ['.'] });
  const workflow = chatAgent({ retriever: bm25Retriever(policies) });
  const turns = [
    '안녕하세요',
    '내 이름은 철수야',
    '프로젝트 마감일은 3월 15일이야',
    '123 * 456 계산해줘',
    '회사 휴가 정책이 뭐야?',
    '병가는 며칠이야?',
    '재택근무는 일주일에 며칠 돼?',
    '20 + 22 계산해줘',
    '고마워',
    '해외 출장 숙박비 한도는?',
    '내 이름이 뭐라고 했지?',
    '아까 말한 프로젝트 마감일이 언제라고 했지?',
  ];
  const answers: string[] = [];
  let summaries = 0;
  for (const input of turns) {
    const run = runtime.start(workflow, { input }, { threadId: 'talk' });
    for await (const event of run.events()) if (event.type === 'thinking' && event.step === 'memory') summaries++;
    const result = await run.result;
    if (!('output' in result)) throw new Error(`The run ended ${JSON.stringify(result)}.`);
    answers.push(result.output.answer);
    say(`> ${input}\n${result.output.answer.split('\n').slice(0, 4).join('\n')}`);
  }
  check('the policy answers: 연차 15일, 병가 10일', /연차: 15일/.test(answers[4] ?? '') && /10일/.test(answers[5] ?? ''));
  check(`the conversation was summarized (${summaries} times)`, summaries >= 2);
  check('and its beginning is remembered', /철수/.test(answers.at(-2) ?? '') && /3월 15일/.test(answers.at(-1) ?? ''));
}

async function reviewed(): Promise<void> {
  title('8 · A human revises and approves a plan, and another process executes it');
  const path = join(folder, 'guide.db');
  const cli = (...args: string[]) => commandLine([...args, '--db', path]);
  const asked = await cli('run', 'guide-agent', '유튜브 쇼츠를 만들어서 올리고 싶어');
  say(asked.stderr.trimEnd());
  const runId = /run (r_\w+)/.exec(asked.stderr)?.[1] ?? '';
  check('the first process waits for a human, and has looked nothing up', asked.code === 3 && !asked.stderr.includes('tool_executor'));
  const revised = await cli('send', runId, 'REVISE', '{"feedback":"자막 추가해줘"}', '--interrupt', interruptIn(asked.stderr));
  say(revised.stderr.slice(revised.stderr.lastIndexOf('Plan, revision')).trimEnd());
  check('the second process shows the revised plan, and waits again', revised.code === 3 && /revision 2:[\s\S]*자막/.test(revised.stderr));
  const old = await cli('send', runId, 'APPROVE', '--interrupt', interruptIn(asked.stderr));
  check('an approval of the first revision is rejected', old.code === 1 && old.stderr.includes('INTERRUPT_ANSWERED'));
  const done = await cli('send', runId, 'APPROVE', '--interrupt', interruptIn(revised.stderr));
  say(done.stdout.trimEnd());
  check('the approval of the current revision produces a guide', done.code === 0 && /추천: /.test(done.stdout));
}

const interruptIn = (text: string): string => [...text.matchAll(/--interrupt (i_\w+)/g)].at(-1)?.[1] ?? '';

/** Runs the command line in a process of its own. */
async function commandLine(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const bin = new URL('../src/cli/bin.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--conditions=@agent-machines/source', bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  return { code, stdout, stderr };
}

const begun = performance.now();
try {
  for (const scene of [chained, parallel, replanned, refused, killed, contract, conversation, reviewed]) await scene();
} finally {
  await runtime.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}
say(
  `\n${failures.length === 0 ? 'All checks passed' : `${failures.length} checks failed`}, in ${((performance.now() - begun) / 1000).toFixed(1)} s.`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
