import type { AnyStateMachine } from 'xstate';
import { delaysOf } from './check-shape.ts';
import { inlineName, partName, pathOf, visitStates } from './graph.ts';
import type { Report } from './lint-issue.ts';
import { handlerOf } from './node.ts';
import { kitGuardOf, mergerOf } from './state.ts';

type StateNode = AnyStateMachine['root'];
type Transition = NonNullable<StateNode['always']>[number];

/** Reports effects that XState would run but a journal could not replay or the driver would ignore. */
export function checkEffects(machine: AnyStateMachine, report: Report): void {
  const unsupported = reporter(report);
  if (usesActors(machine.config.context)) unsupported('', 'its context uses "spawn" or "self"', 'Start the work in a node');
  visitStates(machine, (state) => {
    const path = pathOf(state);
    if (state.type === 'history') {
      unsupported(path, 'it is a history state', 'Keep the place in the state, and write one guarded edge for each state to return to');
    }
    if (!state.parent && (state.transitions.size > 0 || state.always || state.invoke.length > 0)) {
      unsupported(path, 'the machine itself has edges or a node', 'Move them to a state');
    }
    if (usesActors(state.output)) unsupported(path, 'its output uses "self"', 'Compute it from the context and the event');
    checkTimers(state, machine, report);
    checkInvoke(state, machine, unsupported, report);
    checkTransitions(state, machine, report);
    checkFinal(state, report);
    if (state.tags.includes('waiting') && (!state.parent || Object.keys(state.states).length > 0)) {
      report('WAITING_WITH_STATES', path, 'it has the tag "waiting" and nested states. Move the tag to the nested state that waits');
    }
  });
}

/** @param instead replacement to write, as an imperative. */
type Unsupported = (path: string, what: string, instead: string) => void;

const reporter =
  (report: Report): Unsupported =>
  (path, what, instead) =>
    report('UNSUPPORTED_EFFECT', path, `${what}, which a journal cannot replay. ${instead}`);

function checkTimers(state: StateNode, { implementations }: AnyStateMachine, report: Report): void {
  const unsupported = reporter(report);
  const path = pathOf(state);
  const delays = delaysOf(state);
  // `after` puts one raise into the entry actions and one cancel into the exit actions of its state
  if (state.entry.length > delays.length || state.exit.length > delays.length) {
    unsupported(path, 'it has entry or exit actions', 'Do the work in a node, or merge on the edges that lead here');
  }
  for (const delay of delays) {
    const name = typeof delay === 'string' ? delay : 'soon';
    const length: unknown = typeof delay === 'string' ? implementations.delays[delay] : delay;
    if (typeof length !== 'function' && !(typeof length === 'number' && Number.isFinite(length) && length >= 0)) {
      report(
        'DELAY_INVALID',
        path,
        `its delay "${delay}" is neither a number of milliseconds (0 or more) nor a delay of the machine's setup. Write after: { 1000: … }, or setup({ delays: { ${name}: 1000 } })`,
      );
    }
    if (usesActors(length)) unsupported(path, `its delay "${delay}" uses "self"`, 'Compute it from the context');
    if (!state.after.some((timer) => timer.delay === delay))
      report(
        'EDGE_WITHOUT_TARGET',
        path,
        `its timer "${delay}" has no target. Write after: { ${delay}: 'next' } with the name of the next state`,
      );
  }
}

function checkInvoke(state: StateNode, { implementations: { actors } }: AnyStateMachine, unsupported: Unsupported, report: Report): void {
  const path = pathOf(state);
  if (state.invoke.length > 1) unsupported(path, 'it invokes several nodes', 'Use parallel states');
  for (const { src, onSnapshot, systemId, input } of state.invoke) {
    if (onSnapshot) unsupported(path, 'it listens to snapshots of its node', 'Report progress with io.emit in the handler');
    if (systemId !== undefined)
      unsupported(path, `its node has the systemId "${systemId}"`, 'Remove it, and pass what the node needs as its input');
    const name = typeof src === 'string' ? src : inlineName;
    if (!handlerOf(actors[name])) {
      const instead = `Give defineWorkflow a handler, nodes: { ${name === inlineName ? 'work' : name}: async (state, io) => ({ … }) }`;
      unsupported(path, `it invokes "${name}", which is not a node of the workflow`, `${instead}, or subWorkflow(…) for a machine`);
    }
    if (input === undefined) {
      report('INPUT_MISSING', path, `its node "${name}" has no input. Write "input: ({ context }) => context"`);
    }
    if (usesActors(input)) unsupported(path, 'the input of its node uses "self"', 'Compute it from the context and the event');
  }
}

function checkTransitions(state: StateNode, { implementations: { guards, actions } }: AnyStateMachine, report: Report): void {
  const unsupported = reporter(report);
  const path = pathOf(state);
  const checkActions = (names: Transition['actions']): void => {
    for (const action of names) {
      const name = partName(action);
      const merges = name !== undefined && mergerOf(actions[name]) !== undefined;
      const instead = "Return the change from the node, or declare it as patch of the event, and write actions: 'merge'";
      if (!merges) unsupported(path, `its action "${name ?? inlineName}" is not state.merge`, instead);
      else if (hasParams(action))
        report('UNSUPPORTED_EFFECT', path, `its action "${name}" has params, which are ignored. Write actions: '${name}'`);
    }
  };
  checkActions(state.initial.actions);
  for (const { guard, actions: names, target } of [...[...state.transitions.values()].flat(), ...(state.always ?? [])]) {
    checkGuard(guard, guards, path, report);
    checkActions(names);
    if (target?.some((to) => !to.parent)) unsupported(path, 'one of its edges targets the machine itself', 'Name one of its states');
    if (target && !areTogether(target)) {
      report(
        'STATE_INVALID',
        path,
        `one of its edges targets ${target.map(pathOf).join(' and ')}, which are never active at the same time. Write one target, or one in each region of a parallel state`,
      );
    }
  }
}

function checkGuard(guard: unknown, guards: AnyStateMachine['implementations']['guards'], path: string, report: Report): void {
  if (guard === undefined) return;
  const name = partName(guard);
  const written =
    name ?? (typeof guard === 'function' ? inlineName : typeof guard === 'object' && guard !== null ? '{ … }' : String(guard));
  if (name === undefined && typeof guard !== 'function') {
    report('GUARD_UNKNOWN', path, `its guard ${written} is not a name. Remove it, or write guard: 'ready', a name of state.guards({ … })`);
  } else if (name === undefined || !kitGuardOf(guards[name])) {
    const instead = "Add it there, guards: state.guards({ ready: (s) => … }), and write guard: 'ready'";
    report('GUARD_UNKNOWN', path, `its guard "${written}" is not one of state.guards({ … }). ${instead}`);
  } else if (hasParams(guard)) {
    const instead = `Write a guard for each case that reads the state, ${written}: (s) => …`;
    report('GUARD_UNKNOWN', path, `its guard "${written}" has params, which a drawing does not show. ${instead}`);
  }
}

const hasParams = (part: unknown): boolean => typeof part === 'object' && part !== null && 'params' in part && part.params !== undefined;

/** True when all of these can be active at once, because each pair is in different regions of a parallel state. */
function areTogether(targets: readonly StateNode[]): boolean {
  return targets.every((one, index) =>
    targets.slice(index + 1).every((other) => {
      const [mine, its] = [lineOf(one), lineOf(other)];
      const fork = mine.findIndex((state, depth) => state !== its[depth]);
      return fork > 0 && its[fork] !== undefined && mine[fork - 1]?.type === 'parallel';
    }),
  );
}

/** A state and its ancestors, from the root down. */
function lineOf(state: StateNode): readonly StateNode[] {
  const line: StateNode[] = [];
  for (let at: StateNode | undefined = state; at; at = at.parent) line.unshift(at);
  return line;
}

function checkFinal(state: StateNode, report: Report): void {
  if (state.type !== 'final') return;
  const works = state.invoke.length > 0 || delaysOf(state).length > 0 || state.transitions.size > 0 || state.always !== undefined;
  if (works || state.tags.includes('waiting')) {
    report(
      'FINAL_WITH_WORK',
      pathOf(state),
      'it is final but has a node, a timer, edges or the tag "waiting", which never take effect. Move them into a state that leads here',
    );
  }
}

/** The guards and the merge of one machine must see the same reducers and events. */
export function checkKits(machine: AnyStateMachine, kits: ReadonlySet<object>, report: Report): void {
  if (kits.size > 1) {
    report(
      'STATE_KIT_MIXED',
      '',
      `the guards and the merge of "${machine.id}" come from ${kits.size} defineState calls. Use one call for all of them`,
    );
  }
}

const liveActors = 'self|spawn|system';

/**
 * True when a function of a machine uses the live actors that XState passes. Decided from its source text, because calling it would need a
 * context. A function that hides the use fails by name when it runs.
 */
function usesActors(part: unknown): boolean {
  if (typeof part !== 'function') return false;
  const text = Function.prototype.toString.call(part);
  const [, pattern, name] = /^[^(=]*\(\s*(?:\{([^}]*)\}|([\w$]+))/.exec(text) ?? [];
  if (pattern !== undefined) return new RegExp(`(?:^|,)\\s*(?:${liveActors})\\b`).test(pattern);
  const parameter = name ?? /^\s*(?:async\s+)?([\w$]+)\s*=>/.exec(text)?.[1];
  if (parameter === undefined) return false;
  const own = parameter.replaceAll('$', '\\$');
  return new RegExp(`(?<![\\w$.])${own}\\s*\\??\\.\\s*(?:${liveActors})\\b|\\{[^}]*\\b(?:${liveActors})\\b[^}]*\\}\\s*=\\s*${own}\\b`).test(
    text,
  );
}
