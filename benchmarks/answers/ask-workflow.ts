import { fileURLToPath } from 'node:url';
import { type Clock, createRuntime, type Retriever, type Runtime, type Tool } from 'agent-machines';
import { folderDocuments } from 'agent-machines/documents';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { getTime, guideAgent } from 'agent-machines/machines/guide-agent';
import { exampleKnowledge } from 'agent-machines/machines/guide-agent/node';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { bm25Retriever } from 'agent-machines/search';
import { calculator, getCurrentDatetime, searchDocuments, summarize } from 'agent-machines/tools';
import { getWeather, readFile, searchWikipedia, webSearch } from 'agent-machines/tools/node';
import type { AnswerQuestion, WorkflowName } from './answer-questions.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Friday, 2026-11-20 15:04:05 in Seoul, whenever it is asked. */
const clock: Clock = {
  now: () => Date.UTC(2026, 10, 20, 6, 4, 5),
  monotonic: () => performance.now(),
  schedule(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/** What is open: the sample policies, or this project's README and docs. */
export type Documents = 'policies' | 'project';

/** Asks one workflow without a key, each question in a conversation of its own; gives the last answer. */
export type AskWorkflow = (question: Pick<AnswerQuestion, 'before' | 'ask'>) => Promise<string>;

/** A workflow with the tools that the command line gives it, without a key and without the network. */
export async function askWorkflow(name: WorkflowName, documents: Documents): Promise<AskWorkflow> {
  const start = await starterOf(name, documents);
  return async ({ before, ask }) => {
    const runtime = createRuntime({ clock });
    const answers: string[] = [];
    for (const input of [...before, ask]) {
      const result = await start(runtime, input).result;
      if (result.status === 'waiting') answers.push('(a plan waiting for approval)');
      else if ('output' in result) answers.push((result.output as { readonly answer: string }).answer);
      else throw new Error(`${name} ends ${result.status}: ${input}`);
    }
    await runtime.close();
    return answers.at(-1) ?? '';
  };
}

type Start = (runtime: Runtime, input: string) => { readonly result: Promise<{ readonly status: string; readonly output?: unknown }> };

/** Expected answers state the times of Seoul. */
const timeZone = 'Asia/Seoul';

async function starterOf(name: WorkflowName, documents: Documents): Promise<Start> {
  const threadId = 'answers';
  if (name === 'guide-agent') {
    const workflow = guideAgent({ knowledge: await exampleKnowledge(), tools: [calculator(), getTime({ clock })], timeZone });
    return (runtime, input) => runtime.start(workflow, { input }, { threadId });
  }
  const retriever = await open(documents);
  const local: readonly Tool[] = [calculator(), getCurrentDatetime({ clock }), readFile({ root })];
  const web: readonly Tool[] = [getWeather({}), searchWikipedia({}), webSearch({})];
  if (name === 'chat-agent') {
    const workflow = chatAgent({ tools: [...local, ...web], retriever, timeZone });
    return (runtime, input) => runtime.start(workflow, { input }, { threadId });
  }
  const workflow = planExecute({ tools: [...local, searchDocuments({ retriever }), summarize(), ...web], timeZone });
  return (runtime, input) => runtime.start(workflow, { input }, { threadId });
}

async function open(documents: Documents): Promise<Retriever> {
  const folder = documents === 'policies' ? { root: `${root}machines/chat-agent/examples`, include: ['.'] } : { root };
  return bm25Retriever((await folderDocuments(folder)).documents);
}
