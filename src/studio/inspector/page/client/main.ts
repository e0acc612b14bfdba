import type { MachineGraph } from '../../../../engine/define/graph.ts';
import type { TakenEdge } from '../../../../inspect/drawing/drawn-path.ts';
import { keepInView } from '../../../../inspect/drawing/keep-in-view.ts';
import { toSvg } from '../../../../inspect/drawing/to-svg.ts';
import type { FeedRun } from '../../node/feed-types.ts';
import { button, element, replace } from './element.ts';
import { type FeedState, listen } from './feed.ts';
import { showDetails, showSource } from './show-details.ts';
import { type Step, toSteps } from './steps.ts';
import { type Language, type Words, words } from './words.ts';

const playMs = 700;
/** Smallest scale of the drawing, at which its labels are readable. A narrower page scrolls. */
const leastScale = 0.95;
const themes = ['auto', 'light', 'dark'] as const;

interface View {
  language: Language;
  theme: (typeof themes)[number];
  state: FeedState | undefined;
  steps: readonly Step[];
  /** Absent: always the newest step. */
  chosen: number | undefined;
  player: ReturnType<typeof setInterval> | undefined;
}

const view: View = {
  language: navigator.language.startsWith('ko') ? 'ko' : 'en',
  theme: 'auto',
  state: undefined,
  steps: [],
  chosen: undefined,
  player: undefined,
};

const systemDark = matchMedia('(prefers-color-scheme: dark)');
const place = (id: string): HTMLElement => document.getElementById(id) ?? document.body;
const slider = place('slider') as HTMLInputElement;

const last = (): number => Math.max(0, view.steps.length - 1);
const at = (): number => Math.min(view.chosen ?? last(), last());

function choose(index: number): void {
  const next = Math.max(0, Math.min(index, last()));
  view.chosen = next === last() ? undefined : next;
  show();
  document.getElementById(`step-${next}`)?.scrollIntoView({ block: 'nearest' });
}

function play(): void {
  if (view.player !== undefined) {
    clearInterval(view.player);
    view.player = undefined;
  } else if (view.steps.length > 1) {
    if (at() === last()) choose(0);
    view.player = setInterval(() => {
      choose(at() + 1);
      if (at() === last()) play();
    }, playMs);
  }
  show();
}

function show(): void {
  const say = words[view.language];
  const { state, steps } = view;
  const contents = state?.contents;
  document.documentElement.lang = view.language;
  document.documentElement.style.colorScheme = view.theme === 'auto' ? 'light dark' : view.theme;
  showHead();
  replace(place('runs'), element('h2', {}, say.runs), showRuns(state?.runs ?? [], contents?.run.id, say, open));
  const step = steps[at()];
  const dark = view.theme === 'auto' ? systemDark.matches : view.theme === 'dark';
  const machine = place('machine');
  machine.setAttribute('aria-label', say.machine);
  if (contents?.graph) {
    replace(machine, showMachine(contents.graph, steps, at(), dark));
    keepInView(machine, machine.querySelector(`[data-state="${CSS.escape(step?.active[0] ?? '')}"]`));
  } else replace(machine, element('p', { class: 'quiet' }, contents ? say.noMachine : say.choose));
  place('timeline').hidden = steps.length === 0;
  slider.max = String(last());
  slider.value = String(at());
  slider.setAttribute('aria-label', say.timeline);
  slider.setAttribute('aria-valuetext', step ? `${say.step} ${at() + 1} / ${steps.length}: ${step.title}` : '');
  replace(place('now'), step ? `${at() + 1} / ${steps.length} · ${step.title}` : '');
  replace(place('keys'), say.keys);
  for (const [id, label, text] of [
    ['previous', say.previous, '◀'],
    ['play', view.player === undefined ? say.play : say.pause, view.player === undefined ? '▶' : '❚❚'],
    ['next', say.next, '▶▏'],
  ] as const) {
    place(id).setAttribute('aria-label', label);
    place(id).textContent = text;
  }
  replace(place('steps'), element('h2', {}, say.steps), showSteps(steps, at(), choose));
  replace(place('details'), ...(step ? [showDetails(step, say)] : []), ...showSource(contents?.source ?? '', say));
}

function showHead(): void {
  const say = words[view.language];
  const { state } = view;
  const run = state?.contents?.run;
  document.title = run ? `${run.name} · ${run.status}` : `agent-machines · ${say.title}`;
  replace(place('title'), run ? `${run.name} ${run.version ?? ''}` : say.title);
  replace(place('status'), run ? element('span', { class: `status ${statusClass(run)}` }, run.failure ?? run.status) : undefined);
  replace(place('trouble'), state?.trouble || (state?.connected === false ? say.lost : ''));
  place('language').textContent = say.language;
  place('theme').textContent = `${say.theme}: ${say[view.theme]}`;
}

let close = (): void => undefined;

/** Connects to the requested run. Without one, to the newest run at that time; with `#live`, always to the newest one. */
function connect(): void {
  close();
  const asked = new URLSearchParams(location.hash.slice(1));
  const live = asked.has('live');
  view.chosen = undefined;
  let run = asked.get('run') ?? undefined;
  const start = (): void => {
    close = listen(run, (state) => {
      const newest = inTree(state.runs)[0]?.id;
      if (newest !== undefined && (live ? run !== newest : run === undefined)) {
        run = newest;
        close();
        start();
        return;
      }
      view.state = state;
      view.steps = state.contents ? toSteps(state.contents) : [];
      show();
    });
  };
  start();
}

function open(id: string): void {
  location.hash = `run=${encodeURIComponent(id)}`;
}

const moves: Readonly<Record<string, () => void>> = {
  ArrowLeft: () => choose(at() - 1),
  ArrowRight: () => choose(at() + 1),
  Home: () => choose(0),
  End: () => choose(last()),
  ' ': play,
};

addEventListener('keydown', (event) => {
  const target = event.target as Element | null;
  const typing =
    target?.closest('button, input, summary, pre, a') !== null && target?.closest('button, input, summary, pre, a') !== undefined;
  const move = moves[event.key];
  if (!move || event.ctrlKey || event.metaKey || event.altKey || (typing && (event.key === ' ' || target?.closest('input, pre')))) return;
  event.preventDefault();
  move();
});
addEventListener('hashchange', connect);
systemDark.addEventListener('change', show);
slider.addEventListener('input', () => choose(Number(slider.value)));
place('previous').addEventListener('click', () => choose(at() - 1));
place('next').addEventListener('click', () => choose(at() + 1));
place('play').addEventListener('click', play);
place('language').addEventListener('click', () => {
  view.language = view.language === 'en' ? 'ko' : 'en';
  show();
});
place('theme').addEventListener('click', () => {
  view.theme = themes[(themes.indexOf(view.theme) + 1) % themes.length] ?? 'auto';
  show();
});
connect();
show();

function showMachine(graph: MachineGraph, steps: readonly Step[], chosen: number, dark: boolean): Node {
  const path = steps.slice(0, chosen + 1).flatMap(({ edges }) => edges);
  const active = steps[chosen]?.active ?? [];
  const svg = toSvg(graph, { theme: dark ? 'dark' : 'light', path, active });
  const drawing = document.importNode(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement, true);
  const width = Number(drawing.getAttribute('width'));
  drawing.setAttribute('style', `min-width:${width * leastScale}px;max-width:${width}px`);
  return drawing;
}

/** Sorts actors behind their parents. Roots are newest first, children oldest first. */
function inTree(runs: readonly FeedRun[]): readonly FeedRun[] {
  const ids = new Set(runs.map(({ id }) => id));
  const childrenOf = Map.groupBy(runs, ({ parent }) => (parent !== undefined && ids.has(parent) ? parent : ''));
  const sorted = new Set<FeedRun>();
  const add = (run: FeedRun): void => {
    if (sorted.has(run)) return;
    sorted.add(run);
    for (const child of (childrenOf.get(run.id) ?? []).toReversed()) add(child);
  };
  for (const run of [...(childrenOf.get('') ?? []), ...runs]) add(run);
  return [...sorted];
}

/** Shows the runs, newest first. */
function showRuns(runs: readonly FeedRun[], chosen: string | undefined, words: Words, choose: (id: string) => void): HTMLElement {
  if (runs.length === 0) return element('p', { class: 'quiet' }, words.noRuns);
  return element(
    'ul',
    { class: 'runs' },
    ...inTree(runs).map((run, index) => {
      const { id, name, status, startedAt, parent } = run;
      const made = button('', () => choose(id), { id: `run-${index}`, 'aria-current': id === chosen ? 'true' : undefined });
      made.append(
        element('span', { class: 'name' }, (parent === undefined ? '' : '↳ ') + name),
        element('span', { class: `status ${statusClass(run)}` }, status),
        element('span', { class: 'quiet' }, `${new Date(startedAt).toLocaleTimeString()} · ${id}`),
      );
      return element('li', {}, made);
    }),
  );
}

/** Returns the color class of a run's status. */
function statusClass({ status, failure }: FeedRun): string {
  if (failure !== undefined || status === 'failed' || status === 'error' || status === 'in_doubt') return 'bad';
  if (status === 'waiting' || status === 'paused' || status === 'queued') return 'waits';
  return status === 'running' || status === 'active' ? 'live' : 'good';
}

const edgeText = ({ on, guard }: TakenEdge): string => `${on}${guard === undefined ? '' : ` [${guard}]`}`;

function showSteps(steps: readonly Step[], chosen: number, choose: (index: number) => void): HTMLElement {
  const begin = steps[0]?.at ?? 0;
  return element(
    'ol',
    { class: 'steps' },
    ...steps.map(({ title, at, edges, failed }, index) => {
      const made = button('', () => choose(index), { id: `step-${index}`, 'aria-current': index === chosen ? 'step' : undefined });
      made.append(
        element('span', { class: failed ? 'name bad' : 'name' }, title),
        element(
          'span',
          { class: 'quiet' },
          edges.length > 0 ? `${edges.map(edgeText).join(', ')} · +${((at - begin) / 1000).toFixed(2)} s` : '',
        ),
      );
      return element('li', {}, made);
    }),
  );
}
