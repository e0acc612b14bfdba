import {
  createRuntime,
  defineWorkflow,
  engineOf,
  type HumanEvent,
  type JsonObject,
  type Run,
  type RunResult,
  type Runtime,
  type Workflow,
  WorkflowError,
} from 'agent-machines';
import { inspectRuns } from 'agent-machines/inspect';
import type { CallInReview } from 'agent-machines/tools';
import fc from 'fast-check';
import { type AnyStateMachine, createActor, toPromise, waitFor } from 'xstate';
import { expectSame } from '../fixtures/expect-same.ts';
import { inspectionLog } from '../fixtures/inspection-log.ts';

export interface TapedMachineOptions<TNode extends string> {
  readonly machine: AnyStateMachine;
  readonly nodes: readonly TNode[];
  /** Of the machine. */
  readonly input: unknown;
  /** What a node comes back with when the tape is at its end. @default {} */
  readonly rest?: object;
}

/** A machine whose nodes answer from a tape, in the order in which they are visited: patches, or `throw`. */
export interface TapedMachine<TNode extends string, TState> {
  workflow(tape: readonly unknown[], engine?: 'xstate'): Taped<TNode, TState>;
  /** Runs a tape on the table, on XState and live under `createActor`: same path, same states, same end, and the same for an inspector. */
  expectSameOnEveryEngine(tape: readonly unknown[], answers?: readonly HumanEvent[]): Promise<void>;
}

/** Calls that wait for a human, for the key `heldCalls` of a state. */
export const heldCalls = fc.uniqueArray(
  fc.record({
    status: fc.constant('held' as const),
    tool: fc.constantFrom('a', 'b'),
    args: fc.constantFrom<JsonObject>({}, { text: 'x' }),
    signature: fc.string(),
    reasons: fc.constantFrom(['declared' as const], ['untrusted' as const, 'private' as const]),
    key: fc.constantFrom('call_0', 'step_1'),
    notice: fc.constant(null),
  }) satisfies fc.Arbitrary<CallInReview>,
  { maxLength: 2, selector: ({ key }) => key },
);

/** What a human says to them, in turn. A decision about all of them that fits other calls counts as `APPROVE`. */
export const reviewAnswers: fc.Arbitrary<readonly HumanEvent[]> = fc.array(
  fc.constantFrom<HumanEvent>(
    { type: 'APPROVE' },
    { type: 'EDIT', arguments: { text: 'y' } },
    { type: 'REJECT', reason: 'no' },
    { type: 'DECIDE', decisions: { call_0: 'approve' } },
    { type: 'DECIDE', decisions: { call_0: 'approve', step_1: { reject: 'no' } } },
    { type: 'DECIDE', decisions: { call_0: { reject: 'no' }, call_1: 'approve' } },
  ),
  { maxLength: 8 },
);

/** The calls that still wait after an entry of a journal with a human's answer. */
export const heldAfter = (held: readonly CallInReview[], answered: unknown): readonly CallInReview[] =>
  (answered as { readonly event: HumanEvent }).event.type === 'DECIDE' ? [] : held.slice(1);

/** Says what is to be said whenever the run waits; when nothing is left, or the state has no such answer, `APPROVE`. */
export async function answerAll(runtime: Runtime, run: Run<unknown>, answers: readonly HumanEvent[]): Promise<RunResult<unknown>> {
  let result = await run.result;
  for (let at = 0; result.status === 'waiting' && result.interrupt; at++) {
    const { id: interruptId } = result.interrupt;
    const send = (event: HumanEvent) => runtime.send(run.id, event, { interruptId });
    const answer = answers[at] ?? approve;
    const sent = await send(answer).catch((error: unknown) => {
      if (!(WorkflowError.isInstance(error) && error.code === 'EVENT_NOT_ACCEPTED')) throw error;
      const accepted = error.data?.accepts;
      const isOfState = Array.isArray(accepted) && accepted.includes(answer.type);
      if (isOfState && answer.type !== 'DECIDE' && answer.type !== 'REPLACE') throw error;
      return send(approve);
    });
    result = await sent.result;
  }
  return result;
}

const approve: HumanEvent = { type: 'APPROVE' };

interface Taped<TNode extends string, TState> {
  readonly workflow: Workflow<unknown, TState, unknown>;
  /** What each node was shown, in the order of the visits. */
  readonly seen: readonly { readonly node: TNode; readonly state: TState }[];
}

export function tapedMachine<TNode extends string, TState>(options: TapedMachineOptions<TNode>): TapedMachine<TNode, TState> {
  const { machine, nodes, input, rest = {} } = options;

  const taped = (tape: readonly unknown[], engine?: 'xstate'): Taped<TNode, TState> => {
    let at = 0;
    const seen: { node: TNode; state: TState }[] = [];
    const handler = (node: TNode) => async (state: TState) => {
      seen.push({ node, state });
      const next = tape[at++] ?? rest;
      if (next === 'throw') throw new Error(`${node} threw`);
      return next as object;
    };
    const handlers = Object.fromEntries(nodes.map((node) => [node, handler(node)]));
    const workflow = defineWorkflow({ machine, nodes: handlers as never, ...(engine ? { engine } : {}) });
    return { workflow: workflow as never, seen };
  };

  const drive = async (tape: readonly unknown[], answers: readonly HumanEvent[], engine?: 'xstate') => {
    const { workflow, seen } = taped(tape, engine);
    const told = inspectionLog();
    const inspect = inspectRuns({ inspect: told.inspect });
    const runtime = createRuntime({ limits: { nodeVisits: 25 }, workflows: [workflow], inspect });
    const result = await answerAll(runtime, runtime.start(workflow, input), answers);
    return { engine: engineOf(workflow).engine, seen, told: told.lines, result: JSON.parse(JSON.stringify(result)) };
  };

  return {
    workflow: taped,
    async expectSameOnEveryEngine(tape, answers = []) {
      const [table, xstate] = await Promise.all([drive(tape, answers), drive(tape, answers, 'xstate')]);
      expectSame([table.engine, xstate.engine], ['table', 'xstate']);
      expectSame(table.seen, xstate.seen);
      expectSame(table.result, xstate.result);
      expectSame(table.told, xstate.told);
      if (!('finalState' in table.result)) return; // past the limit of visits a live actor would go on for ever
      const { workflow, seen } = taped(tape);
      const told = inspectionLog();
      const actor = createActor(workflow.machine, { input: input as never, inspect: told.inspect }).start();
      for (let at = 0; ; at++) {
        const rests = await waitFor(actor, (snapshot) => snapshot.status !== 'active' || snapshot.hasTag('waiting'));
        if (rests.status !== 'active') break;
        const answer = answers[at] ?? approve;
        actor.send({ ...(rests.can(answer as never) ? answer : approve) } as never); // a copy: two answers are two, also when they say the same
      }
      const output = await toPromise(actor);
      expectSame(
        { seen, value: actor.getSnapshot().value, output: JSON.parse(JSON.stringify(output)) },
        { seen: table.seen, value: table.result.finalState, output: table.result.output },
      );
      expectSame(table.told, told.lines);
    },
  };
}
