import { WorkflowError } from '../errors.ts';

/**
 * Stands where XState hands out the running actor: a journaled run has none, so whoever asks it for anything is told so.
 *
 * @param system what XState's own functions read of it, and nobody else does.
 */
export function noActor(system?: unknown): never {
  return new Proxy(Object.freeze({}), {
    get(_, key) {
      if (key === 'system' && system !== undefined) return system;
      throw actorsAreUnknown(`"self.${String(key)}"`);
    },
  }) as never; // it stands in for actors of every type: whatever is asked of it throws
}

/** What a context that spawns actors is told. */
export const refuseSpawn = (): never => {
  throw actorsAreUnknown('"spawn"');
};

const actorsAreUnknown = (what: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `The machine uses ${what}, which a journaled run does not have: it would be another one at each resume.`,
    hint: 'Use the context and the event alone; start work in nodes.',
  });
