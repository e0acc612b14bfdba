import { WorkflowError } from '../../core/errors/errors.ts';
import type { MachineGraph } from '../../engine/define/graph.ts';
import type { Outcomes } from './outcome-class.ts';

/**
 * Returns the given outcomes by the paths of states.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a name that is neither a node nor a state with a node or a wait.
 */
export function givenOutcomes({ id, states }: MachineGraph, outcomes: Readonly<Record<string, Outcomes>>): ReadonlyMap<string, Outcomes> {
  const given = new Map<string, Outcomes>();
  for (const [name, each] of Object.entries(outcomes)) {
    const named = states.filter(({ node }) => node === name);
    const placed = states.filter(({ path, node, kind }) => path === name && (node !== undefined || kind === 'waiting'));
    if (named.length + placed.length === 0) throw unknownState(id, name);
    for (const { path } of named) if (!given.has(path)) given.set(path, each);
    for (const { path } of placed) given.set(path, each); // the path of a state takes precedence over the name of its node
  }
  return given;
}

const unknownState = (machine: string, name: string): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The machine "${machine}" has no node and no waiting state "${name}".`,
    hint: 'Name outcomes by the path of a state, such as "review", or by the name of a node.',
    data: { name },
  });
