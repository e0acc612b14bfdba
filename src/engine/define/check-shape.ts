import type { AnyStateMachine } from 'xstate';
import { edgeName, pathOf, visitStates } from './graph.ts';
import type { Report } from './lint-issue.ts';

type StateNode = AnyStateMachine['root'];

/** Checks the prerequisites of a graph: kinds of states, initial states and names. */
export function checkShape(machine: AnyStateMachine, report: Report): void {
  const ids = new Map<string, string>();
  const unique = (id: string, path: string, what: string): void => {
    const other = ids.get(id);
    if (other === undefined) ids.set(id, path);
    else
      report(
        'ID_TWICE',
        path,
        `its ${what} "${id}" is also used by "${other}", so outcomes and journals cannot distinguish them. Give it a different one`,
      );
  };
  const { type } = machine.root;
  if (type === 'parallel')
    report('STATE_INVALID', '', 'the machine itself is parallel. Put a parallel state into it, and a final state after that');
  else if (type !== 'compound') report('STATE_INVALID', '', 'the machine has no states. Add some, and name the first one as initial');
  visitStates(machine, (state) => {
    const path = pathOf(state);
    checkKind(state, path, report);
    checkNames(state, path, report);
    unique(state.id, path, 'id');
    for (const { id } of state.invoke) {
      unique(id, path, "node's id");
      if (id.includes('*')) report('NAME_RESERVED', path, hasStar(`the id "${id}" of its node`));
    }
    for (const delay of delaysOf(state)) unique(`xstate.after.${delay}.${state.id}`, path, 'timer');
  });
}

/** The delays of a state as XState reads them: milliseconds, or the name of a delay. */
export const delaysOf = ({ config }: StateNode): readonly (string | number)[] =>
  Object.keys(config.after ?? {}).map((delay) => (Number.isNaN(Number(delay)) ? delay : Number(delay)));

function checkKind(state: StateNode, path: string, report: Report): void {
  const inside = Object.keys(state.states).length;
  const type: string = state.type;
  if (!['atomic', 'compound', 'parallel', 'final', 'history'].includes(type)) {
    report('STATE_INVALID', path, `its type "${type}" does not exist. Remove it, or write parallel or final`);
  } else if (inside > 0 !== (type === 'compound' || type === 'parallel')) {
    report(
      'STATE_INVALID',
      path,
      inside > 0
        ? `it has nested states, which XState never enters because it is ${type}. Remove its type, or move the states out`
        : `it is ${type} but has no nested states. Add some, or remove its type and initial`,
    );
  }
  try {
    void state.initial; // XState resolves it on access, and throws
  } catch {
    report('STATE_INVALID', path, `its initial state "${nameOfInitial(state)}" is not one of its states. Name one of ${namesIn(state)}`);
  }
}

const namesIn = ({ states }: StateNode): string =>
  Object.keys(states)
    .map((name) => `"${name}"`)
    .join(', ') || 'its states, and add some';

function nameOfInitial({ config }: StateNode): string {
  const initial: unknown = config.initial;
  if (typeof initial === 'object' && initial !== null && 'target' in initial) return String(initial.target);
  return String(initial);
}

function checkNames(state: StateNode, path: string, report: Report): void {
  if (state.parent && !/^[^.#|/*]+$/.test(state.key)) {
    report(
      'NAME_RESERVED',
      path,
      `the name "${state.key}" is empty or contains one of . # | / *, which paths and journals reserve. Use letters, digits, _ and -`,
    );
  }
  if (state.id.includes('*')) report('NAME_RESERVED', path, hasStar(`its id "${state.id}"`));
  for (const event of Object.keys(state.config.on ?? {})) {
    if (event.includes('*'))
      report('UNSUPPORTED_EFFECT', path, `it accepts "${event}". Write one edge for each event of a human, by its name`);
    else if (!isEvent(event) || event.startsWith('xstate.') || event !== edgeName(event, state)) {
      report('NAME_RESERVED', path, `it accepts an event with the reserved name "${event}". Give it another name`);
    }
  }
}

const hasStar = (what: string): string => `${what} contains "*", which XState treats as a wildcard. Remove the "*"`;

/** True for the name of a human's event, as opposed to the end of a node, a timer, or an edge that is always taken. */
export const isEvent = (on: string): boolean => !/^(done|error|always|state\.done|after .*)$/.test(on);
