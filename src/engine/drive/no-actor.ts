import { WorkflowError } from '../../core/errors/errors.ts';

/**
 * Stands in for the running actor that XState exposes. A journaled run has none, so any access throws.
 *
 * @param system The actor system, which only XState's own functions read.
 */
export function noActor(system?: unknown): never {
  return new Proxy(Object.freeze({}), {
    get(_, key) {
      if (key === 'system' && system !== undefined) return system;
      throw actorUnavailable(`"self.${String(key)}"`);
    },
  }) as never; // stands in for actors of every type, because every access throws
}

/** Stands in for `spawn` and throws. */
export const refuseSpawn = (): never => {
  throw actorUnavailable('"spawn"');
};

const actorUnavailable = (what: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `The machine uses ${what}, which a journaled run does not have.`,
    hint: 'Use only the context and the event, and start work in nodes.',
  });
