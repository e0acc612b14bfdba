import { createRuntime, type HumanEvent, type Json, type Run, type Workflow, WorkflowError } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';

export interface Conversation<TInput, TOutput> {
  /** Input of a new run. */
  readonly input: TInput;
  /** Words of the command line. */
  readonly words: string | undefined;
  /** Answer of a human to the workflow's question; `undefined` for words that are no answer. */
  toEvent(words: string): HumanEvent | undefined;
  /** How to answer the workflow's question. */
  readonly help: string;
  show(output: TOutput): void;
}

/** JSON, or a plain text. */
function toOutput(said: string): Json {
  try {
    return JSON.parse(said) as Json;
  } catch {
    return said;
  }
}

/** Continues the open run of `runs.db` with the words as its answer, or starts a run. Prints its steps and its end. */
export async function runAtTerminal<TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput>,
  { input, words, toEvent, help, show }: Conversation<TInput, TOutput>,
): Promise<void> {
  const runtime = createRuntime({ store: sqliteStore({ path: 'runs.db' }), workflows: [workflow] });

  async function answer(run: Run<unknown>, said: string): Promise<Run<unknown>> {
    const asked = await run.result;
    if (asked.status === 'waiting' && asked.interrupt) {
      const event = toEvent(said);
      return event ? runtime.send(run.id, event, { interruptId: asked.interrupt.id }) : run;
    }
    const [call] = asked.status === 'in_doubt' ? asked.calls : [];
    if (!call) return run;
    if (said === 'RETRY') return runtime.resolve(run.id, call.callId, { as: 'retry' });
    return runtime.resolve(run.id, call.callId, said === 'ABORT' ? { as: 'abort' } : { as: 'done', output: toOutput(said) });
  }

  try {
    const open = (await runtime.list()).find(({ status }) => !['done', 'failed', 'cancelled'].includes(status));
    let run: Run<unknown> = open ? await runtime.resume(open.id) : runtime.start(workflow, input);
    if (open && words !== undefined) run = await answer(run, words);
    for await (const event of run.events()) {
      if (event.type === 'edge') console.log(`${event.from} → ${event.to}`);
    }
    const result = await run.result;
    if (result.status === 'done') show(result.output as TOutput);
    if (result.status === 'waiting') console.log(result.interrupt?.question, `\n${help}`);
    if (result.status === 'in_doubt')
      console.log('Has it happened?\nnpm start -- \'{"its":"result as JSON"}\', npm start -- RETRY, or npm start -- ABORT');
    if (result.status !== 'failed') return;
    console.error(`failed: ${result.error.code}: ${result.error.message}`);
    process.exitCode = 1;
  } catch (error) {
    if (!WorkflowError.isInstance(error)) throw error;
    console.error(`${error.message}\n${error.hint ?? ''}`);
    process.exitCode = 1;
  } finally {
    await runtime.close();
  }
}
