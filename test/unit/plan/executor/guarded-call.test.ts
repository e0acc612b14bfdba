import {
  createRuntime,
  defineMachine,
  defineState,
  defineWorkflow,
  final,
  type NodeHandler,
  node,
  type RunEvent,
  type TextGuard,
  type Tool,
} from 'agent-machines';
import { maskPersonalData } from 'agent-machines/guards';
import { callTool, defineTool, executeCalls, parseToolCall, tryTool } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { createActor, toPromise } from 'xstate';
import { z } from 'zod';

interface Worked {
  readonly out: string;
}
/** Runs a node under guards, and returns the output, the events and what the tools were called with. */
async function run(guards: readonly TextGuard[], work: NodeHandler<Worked>) {
  const workflow = workflowOf(guards, work);
  const runtime = createRuntime();
  const started = runtime.start(workflow, {});
  const result = await started.result;
  const events: RunEvent[] = [];
  for await (const event of runtime.events(started.id)) events.push(event);
  return { out: result.status === 'done' ? JSON.parse(result.output) : result, events };
}
function workflowOf(guards: readonly TextGuard[], work: NodeHandler<Worked>) {
  const state = defineState<Worked, Record<string, never>, string>({ onError: (_, { code }) => ({ out: JSON.stringify(code) }) });
  const machine = defineMachine(state, {
    id: 'guarded',
    initial: 'work',
    context: () => ({ out: '' }),
    output: ({ out }) => out,
    states: { work: node('work', { done: 'done', error: 'done' }), done: final('success') },
  });
  return defineWorkflow({ machine, guards, nodes: { work } });
}
const called: string[] = [];
const tool = (effect: Tool['effect'] = 'pure', output: (to: string) => unknown = (to) => ({ sent: to })) =>
  defineTool({
    name: 'send',
    description: 'Sends.',
    input: z.strictObject({ to: z.string().max(12) }),
    access: 'write',
    effect,
    execute: async ({ to }) => {
      called.push(to);
      return output(to) as never;
    },
  });
const mask = (at: TextGuard['at'], from: string, to: string): TextGuard => ({
  name: 'mask',
  at,
  check: (text) => ({ as: 'mask', text: text.replaceAll(from, to), reason: 'word' }),
});
const out = (value: unknown): Worked => ({ out: JSON.stringify(value) });

describe('a guarded tool call', () => {
  it('calls the tool with masked arguments, and shows no others', async () => {
    called.length = 0;
    const { out: made, events } = await run([mask(['tool-call'], 'bad', 'good')], async (_, io) =>
      out(await callTool(tool(), io, { to: 'bad' })),
    );
    expect([made.output, called]).toEqual([{ sent: 'good' }, ['good']]);
    expect(JSON.stringify(events)).not.toContain('"bad"');
    expect(events).toContainEqual(expect.objectContaining({ type: 'guard', border: 'tool-call', tool: 'send', reason: 'word' }));
  });

  it('does not call a tool with masked arguments that it does not take', async () => {
    called.length = 0;
    const { out: made } = await run([mask(['tool-call'], 'bad', 'x'.repeat(20))], async (_, io) =>
      out(await tryTool(tool(), io, { to: 'bad' })),
    );
    expect([made.status, made.error.code, called]).toEqual(['failure', 'TOOL_INPUT_INVALID', []]);
  });

  it('fails a mask of arguments that is no JSON', async () => {
    expect((await run([mask(['tool-call'], '"', '')], async (_, io) => out(await tryTool(tool(), io, { to: 'a' })))).out).toBe(
      'GUARD_FAILED',
    );
  });

  it('masks outputs, errors and their causes', async () => {
    const guards = [mask(['tool-result'], 'bad', 'good')];
    const { out: made } = await run(guards, async (_, io) =>
      out(
        await callTool(
          tool('once', () => ['bad', { deep: 'bad' }]),
          io,
          { to: 'a' },
        ),
      ),
    );
    expect(made.output).toEqual(['good', { deep: 'good' }]);
    const failing = tool('pure', () => {
      throw new Error('a bad thing');
    });
    const { out: failed, events } = await run(guards, async (_, io) => out(await tryTool(failing, io, { to: 'a' })));
    expect(failed.error.message).toBe('a good thing');
    expect(JSON.stringify(events)).not.toContain('bad');
  });

  it('reads the texts beside files, and not the files', async () => {
    const file = { type: 'file', mediaType: 'image/png', data: 'bad0' };
    const shows = tool('pure', () => ({ content: [{ type: 'text', text: 'bad' }, file] }));
    const { out: made } = await run([mask(['tool-result'], 'bad', 'good')], async (_, io) => out(await callTool(shows, io, { to: 'a' })));
    expect(made.output).toEqual({ content: [{ type: 'text', text: 'good' }, file] });
    for (const other of ['"blocked"', '{"content":[]}', '{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}']) {
      const replace: TextGuard = { name: 'replace', at: ['tool-result'], check: () => ({ as: 'mask', text: other }) };
      const replaced = await run([replace], async (_, io) => out(await callTool(shows, io, { to: 'a' })));
      expect(replaced.out.output).toEqual(JSON.parse(other));
    }
    const stop: TextGuard = {
      name: 'stop',
      at: ['tool-result'],
      check: (text) => (text.includes('image/png') ? { as: 'stop', reason: 'picture' } : { as: 'pass' }),
    };
    const stopped = await run([stop], async (_, io) => out(await callTool(shows, io, { to: 'a' })));
    expect(stopped.out).toBe('GUARD_STOPPED');
    expect(JSON.stringify(stopped.events)).not.toContain('bad0');
  });

  it('holds a call for approval with the reason `guard`, and makes it once approved', async () => {
    const hold: TextGuard = { name: 'hold', at: ['tool-call'], check: () => ({ as: 'hold', reason: 'always' }) };
    called.length = 0;
    const { out: made } = await run([hold], async (_, io) => {
      const held = await tryTool(tool(), io, { to: 'a' });
      if (held.status !== 'held') throw new Error(held.status);
      const end = await tryTool(tool(), io, { to: 'a' }, { key: 'again', approved: [held] });
      return out([held.reasons, end.status]);
    });
    expect([made, called]).toEqual([[['guard'], 'success'], ['a']]);
  });

  it('reuses the output of an equal call whose arguments were masked, and shows the masked ones', async () => {
    called.length = 0;
    const { out: made, events } = await run([mask(['tool-call'], 'bad', 'good')], async (_, io) => {
      const tools = [tool('once')];
      const calls = [parseToolCall({ id: 'c', name: 'send', arguments: '{"to":"bad"}' }, { tools })];
      const { results } = await executeCalls(calls, { tools, io });
      const { results: again } = await executeCalls(calls, { tools, io, history: results, keyPrefix: 'again_' });
      return out(again.map(({ deduplicated }) => deduplicated));
    });
    expect([made, called]).toEqual([[true], ['good']]);
    expect(JSON.stringify(events)).not.toContain('"bad"');
  });

  it('lets calls beside a stopped one end', async () => {
    const stop: TextGuard = {
      name: 'stop',
      at: ['tool-call'],
      check: async (text) => (text.includes('bad') ? { as: 'stop', reason: 'word' } : { as: 'pass' }),
    };
    called.length = 0;
    const both = await run([stop], async (_, io) => {
      const ends = await Promise.allSettled([
        callTool(tool(), io, { to: 'a' }, { key: 'a' }),
        callTool(tool(), io, { to: 'bad' }, { key: 'b' }),
      ]);
      return out(ends.map((end) => (end.status === 'rejected' ? end.reason.code : end.status)));
    });
    expect([both.out, called]).toEqual([['fulfilled', 'GUARD_STOPPED'], ['a']]);
  });

  it('applies under a plain createActor, too', async () => {
    const workflow = workflowOf([mask(['tool-call', 'tool-result'], 'bad', 'good')], async (_, io) =>
      out(await callTool(tool(), io, { to: 'bad' })),
    );
    const actor = createActor(workflow.machine, { input: {} });
    const ended = toPromise(actor);
    actor.start();
    expect(JSON.parse(String(await ended)).output).toEqual({ sent: 'good' });
  });
});

describe('guards of a workflow', () => {
  const work: NodeHandler<Worked> = async () => out(1);

  it.each([
    ['no list', 'none', 'The guards are not an array.'],
    ['no check', [{ name: 'a', at: ['answer'] }], 'A guard has no function `check`.'],
    ['no name', [{ name: 'a b', at: ['answer'], check: () => ({ as: 'pass' }) }], '"a b" is no name of a guard.'],
    ['no borders', [{ name: 'a', at: [], check: () => ({ as: 'pass' }) }], 'The guard "a" has the borders [].'],
    ['an unknown border', [{ name: 'a', at: ['output'], check: () => ({ as: 'pass' }) }], 'The guard "a" has the borders ["output"].'],
    ['a name twice', [maskPersonalData(), maskPersonalData()], 'Two guards have the name "mask-personal-data".'],
  ])('refuses %s', (_, guards, message) => {
    expect(() => workflowOf(guards as never, work)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', message }));
  });

  it('are part of the structure, in order', () => {
    const [a, b] = [mask(['answer'], 'a', 'b'), { ...mask(['input', 'answer'], 'a', 'b'), name: 'other' }];
    const hashes = [[], [a], [b], [a, b], [b, a]].map((guards) => workflowOf(guards, work).structureHash);
    expect(new Set(hashes).size).toBe(5);
    expect(workflowOf([a], work).structure.guards).toEqual([{ name: 'mask', at: ['answer'] }]);
    expect('guards' in workflowOf([], work).structure).toBe(false);
  });

  it('refuse an input before anything is stored, also when they would wait', () => {
    const start = (guard: TextGuard) => () => createRuntime().start(workflowOf([guard], work), {});
    const stop: TextGuard = { name: 'stop', at: ['input'], check: () => ({ as: 'stop', reason: 'no' }) };
    const late: TextGuard = { name: 'late', at: ['input'], check: async () => ({ as: 'pass' }) };
    expect(start(stop)).toThrow(expect.objectContaining({ code: 'GUARD_STOPPED' }));
    expect(start(late)).toThrow(expect.objectContaining({ code: 'GUARD_FAILED' }));
  });
});
