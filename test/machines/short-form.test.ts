import { defineWorkflow, toGraph } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { entries } from '../../machines/index.ts';

describe.each(entries)('the short form of $name', ({ name, load }) => {
  const read = async () => {
    const { machine: short }: { machine: AnyStateMachine } = await import(`../fixtures/short-form/${name}.ts`);
    const { machine: shipped }: { machine: AnyStateMachine } = await import(`../../machines/${name}/machine.ts`);
    return { short, shipped };
  };

  it('has the graph of the shipped machine', async () => {
    const { short, shipped } = await read();
    expect(toGraph(short)).toEqual(toGraph(shipped));
  });

  it('has the descriptions and tags of the shipped machine', async () => {
    const { short, shipped } = await read();
    expect(JSON.parse(JSON.stringify(short.config))).toEqual(JSON.parse(JSON.stringify(shipped.config)));
    expect(Object.keys(short.implementations.guards)).toEqual(Object.keys(shipped.implementations.guards));
  });

  it('has the structure hash of the shipped workflow', async () => {
    const { short } = await read();
    const nodes = Object.fromEntries(Object.keys(short.implementations.actors).map((node) => [node, async () => ({})]));
    expect(defineWorkflow({ machine: short, nodes }).structureHash).toBe((await load()).draft().structureHash);
  });
});
