import { createRuntime, memoryStore, type RunResult, type Workflow } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { failure, final, type LogState, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';

/** Says something, asks what to do with it, and asks again for everything that is said to it. */
const asking = (said: string, engine?: 'xstate'): Workflow<{ readonly log?: readonly string[] }, LogState, string> =>
  logWorkflow({
    states: {
      say: node('say', 'human'),
      human: waiting({ GO: 'done', SAY: { target: 'human', reenter: true } }),
      done: final,
      failed: failure,
    },
    nodes: { say: says(said) },
    questions: { human: ({ log }) => ({ said: [...log] }) },
    ...(engine ? { engine } : {}),
  });

function interruptOf(result: RunResult<unknown>) {
  if (result.status !== 'waiting' || !result.interrupt) throw new Error(`it does not wait: ${JSON.stringify(result)}`);
  return result.interrupt;
}

describe('the question of a waiting state', () => {
  it.each([undefined, 'xstate'] as const)('is computed from the state, and shown with the interrupt (engine: %s)', async (engine) => {
    const runtime = createRuntime();
    const run = runtime.start(asking('hello', engine), {});
    expect(interruptOf(await run.result)).toMatchObject({ key: 'human#1', accepts: ['GO', 'SAY'], question: { said: ['hello'] } });
    const events = (await runtime.history(run.id)).flatMap((entry) => entry.events);
    expect(events.find(({ type }) => type === 'interrupt')).toMatchObject({ interrupt: { question: { said: ['hello'] } } });
  });

  it('changes with a new id after an answer', async () => {
    const runtime = createRuntime();
    const run = runtime.start(asking('hello'), {});
    const first = interruptOf(await run.result);
    const second = interruptOf(await (await runtime.send(run.id, { type: 'SAY', text: 'again' }, { interruptId: first.id })).result);
    expect(second).toMatchObject({ key: 'human#2', question: { said: ['hello', 'again'] } });
    expect(second.id).not.toBe(first.id);
    await expect(runtime.send(run.id, { type: 'GO' }, { interruptId: first.id })).rejects.toMatchObject({ code: 'INTERRUPT_ANSWERED' });
    const end = await (await runtime.send(run.id, { type: 'GO' }, { interruptId: second.id })).result;
    expect(end).toMatchObject({ status: 'done', output: 'hello,again' });
  });

  it('has the same text and id after a restart', async () => {
    const store = memoryStore();
    const run = createRuntime({ store }).start(asking('hello'), {});
    const before = interruptOf(await run.result);
    const resumed = await createRuntime({ store, workflows: [asking('hello')] }).resume(run.id);
    expect(interruptOf(await resumed.result)).toEqual(before);
  });

  it('has another id when its text changes, so that answers to the old text are rejected', async () => {
    const store = memoryStore();
    const workflow = asking('hello');
    const run = createRuntime({ store }).start(workflow, {});
    const before = interruptOf(await run.result);
    const other = { ...workflow, questions: { human: () => 'something else' } };
    const resumed = await createRuntime({ store, workflows: [other] }).resume(run.id);
    expect(interruptOf(await resumed.result).id).not.toBe(before.id);
  });

  it('is rejected for a state that does not wait', () => {
    const define = () =>
      logWorkflow({
        states: { human: waiting({ GO: 'done' }), done: final },
        questions: { done: () => 'never asked' },
      });
    expect(define).toThrow(/UNREACHABLE_STATE done: it has a question but is not a waiting state/);
  });

  it('fails the run, which can resume later, when it is not JSON', async () => {
    const workflow = { ...asking('hello'), questions: { human: () => new Map() as never } };
    const run = createRuntime().start(workflow, {});
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'VALUE_NOT_JSON' } });
  });
});
