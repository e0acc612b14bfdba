/** A step of a path, from one point to another. */
export interface Step<TPoint, TLabel> {
  readonly from: TPoint;
  readonly to: TPoint;
  readonly label: TLabel;
  readonly min: number;
  readonly max: number;
}

/** A graph of points and steps, with paths from sources to targets. */
export interface WayGraph<TPoint, TLabel> {
  readonly sources: readonly TPoint[];
  readonly targets: ReadonlySet<TPoint>;
  /** Returns the steps that leave a point. */
  leaving(point: TPoint): readonly Step<TPoint, TLabel>[];
}

/** A path and its total count. */
export interface Way<TPoint, TLabel> {
  readonly count: number;
  readonly steps: readonly Step<TPoint, TLabel>[];
  /** Index of the first step of a loop, for a path without a limit. */
  readonly loopFrom?: number;
}

/** Returns a path with the smallest count; `undefined` if no path leads to a target. */
export function leastWay<TPoint, TLabel>(graph: WayGraph<TPoint, TLabel>): Way<TPoint, TLabel> | undefined {
  const counted = new Map<TPoint, number>(graph.sources.map((source) => [source, 0]));
  const before = new Map<TPoint, Step<TPoint, TLabel>>();
  // lists of points, indexed by count
  const open: TPoint[][] = [[...graph.sources]];
  const settled = new Set<TPoint>();
  for (let count = 0; count < open.length; count++) {
    for (const point of open[count] ?? []) {
      if (settled.has(point)) continue;
      settled.add(point);
      if (graph.targets.has(point)) return { count, steps: stepsTo(before, point) };
      for (const step of graph.leaving(point)) {
        const next = count + step.min;
        if (next >= (counted.get(step.to) ?? Number.POSITIVE_INFINITY)) continue;
        counted.set(step.to, next);
        before.set(step.to, step);
        for (let missing = open.length; missing <= next; missing++) open.push([]);
        open[next]?.push(step.to);
      }
    }
  }
  return undefined;
}

/** Returns a path with the largest count, `Infinity` if there is no limit. A target must be reachable from each point. */
export function mostWay<TPoint, TLabel>(graph: WayGraph<TPoint, TLabel>): Way<TPoint, TLabel> | undefined {
  const groups = groupsOf(graph);
  const groupAt = new Map(groups.flatMap((group, index) => group.map((point) => [point, index] as const)));
  const all = groups.flatMap((group) => group.flatMap((point) => graph.leaving(point)));
  const endless =
    all.find(({ max }) => max === Number.POSITIVE_INFINITY) ??
    all.find(({ from, to, max }) => max > 0 && groupAt.get(from) === groupAt.get(to));
  if (endless) return endlessWay(graph, endless);
  const counted = new Map<TPoint, number>(graph.sources.map((source) => [source, 0]));
  for (const group of groups) {
    // steps within a group count 0, so all its points have the same count
    const most = Math.max(...group.map((point) => counted.get(point) ?? Number.NEGATIVE_INFINITY));
    for (const point of group) counted.set(point, most);
    for (const { to, max } of group.flatMap((point) => graph.leaving(point))) {
      counted.set(to, Math.max(counted.get(to) ?? Number.NEGATIVE_INFINITY, most + max));
    }
  }
  const target = [...graph.targets].reduce<TPoint | undefined>(
    (best, point) => (best === undefined || (counted.get(point) ?? -1) > (counted.get(best) ?? -1) ? point : best),
    undefined,
  );
  const count = target === undefined ? undefined : counted.get(target);
  if (target === undefined || count === undefined) return undefined;
  const isTight = ({ from, to, max }: Step<TPoint, TLabel>): boolean => (counted.get(from) ?? 0) + max === counted.get(to);
  const first = graph.sources.filter((source) => counted.get(source) === 0);
  return { count, steps: wayTo(graph, first, target, isTight) ?? [] };
}

/** Returns a path to an unlimited step, and around its loop if it is in one. */
function endlessWay<TPoint, TLabel>(graph: WayGraph<TPoint, TLabel>, endless: Step<TPoint, TLabel>): Way<TPoint, TLabel> {
  const there = [...(wayTo(graph, graph.sources, endless.from) ?? []), endless];
  const back = wayTo(graph, [endless.to], endless.from);
  return { count: Number.POSITIVE_INFINITY, steps: [...there, ...(back ?? [])], ...(back ? { loopFrom: there.length - 1 } : {}) };
}

/** Returns a shortest path of allowed steps; `undefined` if there is none. */
function wayTo<TPoint, TLabel>(
  graph: WayGraph<TPoint, TLabel>,
  from: readonly TPoint[],
  to: TPoint,
  fits: (step: Step<TPoint, TLabel>) => boolean = () => true,
): readonly Step<TPoint, TLabel>[] | undefined {
  const before = new Map<TPoint, Step<TPoint, TLabel>>();
  const seen = new Set(from);
  // a Set's iteration also visits items that are added during it
  for (const point of seen) {
    if (point === to) return stepsTo(before, to);
    for (const step of graph.leaving(point)) {
      if (seen.has(step.to) || !fits(step)) continue;
      seen.add(step.to);
      before.set(step.to, step);
    }
  }
  return undefined;
}

function stepsTo<TPoint, TLabel>(before: ReadonlyMap<TPoint, Step<TPoint, TLabel>>, to: TPoint): readonly Step<TPoint, TLabel>[] {
  const steps: Step<TPoint, TLabel>[] = [];
  for (let step = before.get(to); step; step = before.get(step.from)) steps.unshift(step);
  return steps;
}

/** Returns the strongly connected groups of points, in topological order. */
function groupsOf<TPoint, TLabel>(graph: WayGraph<TPoint, TLabel>): readonly (readonly TPoint[])[] {
  const left = finishOrder(graph.sources, (point) => graph.leaving(point).map(({ to }) => to));
  const arriving = new Map<TPoint, TPoint[]>();
  for (const point of left) for (const { to } of graph.leaving(point)) arriving.set(to, [...(arriving.get(to) ?? []), point]);
  const placed = new Set<TPoint>();
  const groups: TPoint[][] = [];
  for (const point of left.toReversed()) {
    if (placed.has(point)) continue;
    const group = [point];
    placed.add(point);
    for (const member of group) {
      for (const from of arriving.get(member) ?? []) {
        if (placed.has(from)) continue;
        placed.add(from);
        group.push(from);
      }
    }
    groups.push(group);
  }
  return groups;
}

/** Returns the points in post-order of a depth-first search. */
function finishOrder<TPoint>(sources: readonly TPoint[], next: (point: TPoint) => readonly TPoint[]): readonly TPoint[] {
  const order: TPoint[] = [];
  const seen = new Set<TPoint>();
  for (const source of sources) {
    if (seen.has(source)) continue;
    seen.add(source);
    const open = [{ point: source, rest: [...next(source)] }];
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const to = top.rest.pop();
      if (to === undefined) {
        order.push(top.point);
        open.pop();
      } else if (!seen.has(to)) {
        seen.add(to);
        open.push({ point: to, rest: [...next(to)] });
      }
    }
  }
  return order;
}
