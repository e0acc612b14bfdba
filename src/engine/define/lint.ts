import type { AnyStateMachine } from 'xstate';
import { assertMachine } from './assert-machine.ts';
import { checkEffects, checkKits } from './check-effects.ts';
import { checkShape, isEvent } from './check-shape.ts';
import { type GraphEdge, type GraphState, type MachineGraph, targetsOf, toGraph } from './graph.ts';
import type { LintCode, LintIssue, Report } from './lint-issue.ts';
import { mergersOf } from './state.ts';

/**
 * Finds defects of a machine that would otherwise show only at run time or never. Called by `defineWorkflow`.
 *
 * @returns every issue, in the order of the states; empty for a runnable machine.
 * @throws {WorkflowError} `WORKFLOW_INVALID` if the argument is not a machine.
 */
export function lintWorkflow(machine: AnyStateMachine): readonly LintIssue[] {
  assertMachine(machine);
  const issues: LintIssue[] = [];
  const report = (code: LintCode, state: string, message: string): void => void issues.push({ code, state, message });
  checkShape(machine, report);
  if (issues.length > 0) return issues; // without a valid shape there is no graph to check
  checkEffects(machine, report);
  checkKits(machine, mergersOf(machine), report);
  const graph = toGraph(machine);
  const family = relatives(graph);
  for (const state of graph.states) {
    checkEdges(state, report);
    checkWaiting(state, family, report);
  }
  checkReach(graph, family, report);
  checkFailures(graph, report);
  checkAlwaysLoops(graph, report);
  checkDoneLoops(graph, family, report);
  checkParallelWaits(graph, family, report);
  return issues;
}

function checkEdges(state: GraphState, report: Report): void {
  const groups = new Map<string, GraphEdge[]>();
  for (const edge of state.edges) groups.set(edge.on, [...(groups.get(edge.on) ?? []), edge]);
  for (const [on, edges] of groups) {
    const mustMatch = !isEvent(on) && (on !== 'always' || state.kind === 'idle');
    if (mustMatch && edges.at(-1)?.guard !== undefined) {
      report(
        'MISSING_FALLBACK_EDGE',
        state.path,
        `if no guard of its "${on}" edges passes, the run is stuck. Add a last edge without a guard`,
      );
    }
    if (edges.slice(0, -1).some(({ guard }) => guard === undefined)) {
      report('UNREACHABLE_EDGE', state.path, `a "${on}" edge without a guard precedes others, which are never tried. Move it to the end`);
    }
    for (const { target, reenter } of edges) {
      if (target === undefined && !isEvent(on))
        report(
          'EDGE_WITHOUT_TARGET',
          state.path,
          `its "${on}" edge has no target, so the run is stuck. Write { target: 'next' } with the name of the next state`,
        );
      if (target === state.path && !reenter) {
        report(
          'SELF_EDGE_WITHOUT_REENTER',
          state.path,
          `its "${on}" edge leads to itself, but XState does not enter it again. Write reenter: true`,
        );
      }
    }
    const dropping = on === 'done' ? edges.filter(({ actions }) => actions.length === 0) : [];
    if (dropping.length > 0) {
      const written = dropping.map(({ target = 'next' }) => `{ target: '${target}', actions: 'merge' }`).join(' and ');
      report('PATCH_DROPPED', state.path, `its "done" edge has no merge action, so the node's result is lost. Write ${written}`);
    }
  }
  if (state.node === undefined) return;
  if (!groups.has('done'))
    report('MISSING_FALLBACK_EDGE', state.path, `it has no "done" edge. Write onDone: { target: 'next', actions: 'merge' }`);
  if (!groups.has('error'))
    report(
      'MISSING_ERROR_EDGE',
      state.path,
      `it has no "error" edge, so a failing node crashes the run. Write onError: { target: 'failed', actions: 'merge' }`,
    );
}

function checkWaiting(state: GraphState, family: Family, report: Report): void {
  const events = state.edges.filter(({ on }) => isEvent(on));
  if (state.kind === 'waiting') {
    if (family.accepts(state).length === 0)
      report('WAITING_WITHOUT_EVENTS', state.path, `it waits for a human but accepts no event. Write on: { GO: 'next' }`);
    if (state.node !== undefined) report('WAITING_WITH_NODE', state.path, 'it waits for a human and runs a node. Split it into two states');
  } else if (events.length > 0 && !family.withDescendants(state).some(({ kind }) => kind === 'waiting')) {
    const names = events.map(({ on }) => on).join(', ');
    report(
      'EVENTS_WITHOUT_WAITING',
      state.path,
      `it accepts ${names} but lacks the tag "waiting", so the run never asks for an answer. Write tags: 'waiting'`,
    );
  }
}

interface Family {
  get(path: string): GraphState | undefined;
  /** The state and its ancestors. */
  withAncestors(state: GraphState): readonly GraphState[];
  /** The state and its descendants. */
  withDescendants(state: GraphState): readonly GraphState[];
  /** Events that end a wait in this state. */
  accepts(state: GraphState): readonly string[];
  /** True when a human can be asked, while `state` is active, for an event of it or of `above`. */
  canBeAsked(state: GraphState, above: GraphState): boolean;
}

function relatives({ states }: MachineGraph): Family {
  const byPath = new Map(states.map((state) => [state.path, state]));
  const withAncestors = (state: GraphState): readonly GraphState[] => {
    const parent = byPath.get(state.parent);
    return parent ? [state, ...withAncestors(parent)] : [state];
  };
  /** True when both can be active at the same time. */
  const together = (one: GraphState, other: GraphState): boolean => {
    const [mine, its] = [withAncestors(one), withAncestors(other)];
    return mine.includes(other) || its.includes(one) || mine.find((state) => its.includes(state))?.kind === 'parallel';
  };
  return {
    canBeAsked: (state, above) =>
      states.some((wait) => wait.kind === 'waiting' && withAncestors(wait).includes(above) && together(wait, state)),
    get: (path) => byPath.get(path),
    withAncestors,
    withDescendants: (state) => states.filter((other) => withAncestors(other).includes(state)),
    accepts: (state) => [
      ...new Set(withAncestors(state).flatMap(({ edges }) => edges.filter(({ on }) => isEvent(on)).map(({ on }) => on))),
    ],
  };
}

function checkReach(graph: MachineGraph, family: Family, report: Report): void {
  const next = new Map(graph.states.map((state) => [state.path, successors(state, graph, family)]));
  const reached = closure([graph.initial], (path) => next.get(path) ?? []);
  const before = new Map<string, string[]>();
  for (const [path, targets] of next) for (const target of targets) before.set(target, [...(before.get(target) ?? []), path]);
  const finals = graph.states.filter(({ kind, parent }) => kind === 'final' && parent === '').map(({ path }) => path);
  const finishing = closure(finals, (path) => before.get(path) ?? []);
  for (const { path } of graph.states) {
    if (!reached.has(path)) report('UNREACHABLE_STATE', path, 'no edge leads to it. Add one, or remove the state');
    else if (!finishing.has(path)) report('NO_PATH_TO_FINAL', path, 'no final state is reachable from it. Add an edge to one');
  }
}

/** States that may follow, with those entered along with them. */
function successors(state: GraphState, graph: MachineGraph, family: Family): readonly string[] {
  const inside = graph.states.filter(({ parent, path }) => parent === state.path && (state.kind === 'parallel' || path === state.initial));
  const edges = family
    .withAncestors(state)
    .flatMap((at) =>
      at.edges.filter(({ on }) => (isEvent(on) ? family.canBeAsked(state, at) : on !== 'state.done' || state.kind === 'final')),
    );
  const targets = edges.flatMap(targetsOf);
  // entering a state enters its parents
  const entered = targets.flatMap((path) => family.withAncestors(family.get(path) ?? state).map((at) => at.path));
  return [...inside.map(({ path }) => path), ...entered];
}

function closure(from: readonly string[], next: (path: string) => readonly string[]): ReadonlySet<string> {
  const seen = new Set(from);
  for (const path of seen) for (const target of next(path)) seen.add(target); // iterating a Set also visits values added on the way
  return seen;
}

/** Requires an outcome tag on final states behind error edges; untagged, a dead model would look like success. */
function checkFailures({ states }: MachineGraph, report: Report): void {
  const targets = (path: string, on: string): string[] =>
    states.find((state) => state.path === path)?.edges.flatMap((edge) => (edge.on === on ? targetsOf(edge) : [])) ?? [];
  for (const { path, kind, parent, outcome } of states) {
    if (kind !== 'final' || parent !== '' || outcome !== undefined) continue;
    const from = states.find((state) => closure(targets(state.path, 'error'), (at) => targets(at, 'always')).has(path));
    if (!from) continue;
    report(
      'FAILURE_NOT_TAGGED',
      path,
      `the "error" edge of "${from.path}" leads to it. Tag it "failure", or "success" if the run still counts as successful`,
    );
  }
}

function checkAlwaysLoops({ states }: MachineGraph, report: Report): void {
  const next = new Map(states.map(({ path, edges }) => [path, edges.flatMap((edge) => (edge.on === 'always' ? targetsOf(edge) : []))]));
  for (const [path, targets] of next) {
    if (closure(targets, (at) => next.get(at) ?? []).has(path)) {
      report(
        'ALWAYS_LOOP',
        path,
        'its "always" edges lead back to it without changing the state, so they may loop forever. Put a node between them',
      );
    }
  }
}

/** Reports endless circles of compound states that are done on entry and entered again by their own end. */
function checkDoneLoops({ states }: MachineGraph, family: Family, report: Report): void {
  const unguarded = (state: GraphState | undefined, on: string): readonly string[] =>
    state?.edges.flatMap((edge) => (edge.on === on && edge.guard === undefined ? targetsOf(edge) : [])) ?? [];
  const next = new Map(
    states.map((state) => {
      const parent = family.get(state.parent);
      const ended = state.kind === 'final' && parent?.kind === 'compound' ? unguarded(parent, 'state.done') : [];
      return [
        state.path,
        [...unguarded(state, 'always'), ...(state.kind === 'compound' && state.initial ? [state.initial] : []), ...ended],
      ];
    }),
  );
  for (const { path, kind } of states) {
    if (kind === 'compound' && closure(next.get(path) ?? [], (at) => next.get(at) ?? []).has(path)) {
      report(
        'ALWAYS_LOOP',
        path,
        'it ends as soon as it is entered, and its end leads back to it, so it loops forever. Put a node into it, or a guard on the way back',
      );
    }
  }
}

function checkParallelWaits({ states }: MachineGraph, family: Family, report: Report): void {
  for (const parallel of states.filter(({ kind }) => kind === 'parallel')) {
    const taken = new Map<string, GraphState>();
    for (const region of states.filter(({ parent }) => parent === parallel.path)) {
      const waiting = family.withDescendants(region).filter(({ kind }) => kind === 'waiting');
      for (const event of new Set(waiting.flatMap((state) => family.accepts(state)))) {
        const other = taken.get(event);
        if (other)
          report(
            'AMBIGUOUS_WAIT',
            parallel.path,
            `${event} fits both "${other.path}" and "${region.path}". Give their events different names`,
          );
        else taken.set(event, region);
      }
    }
  }
}
