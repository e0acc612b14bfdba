import { createContext, use } from 'react';
import { eventsUntil } from '../model/journal-ticks.ts';
import { viewAt } from '../model/run-log.ts';
import type { RunView } from '../model/run-view.ts';
import type { RunState } from '../state/studio-state.ts';

export const tabs = ['machine', 'sources', 'turn', 'journal'] as const;
export type Tab = (typeof tabs)[number];
export type Section = 'entries' | 'state' | 'prompts' | 'events' | 'promises';
export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** UI state of the page, such as open and selected items. None of it is stored on the server. */
export interface Ui {
  readonly tab: Tab;
  readonly section: Section;
  /** Journal entry at which the run is shown. Absent: live. */
  readonly held?: number | undefined;
  /** Ids of runs whose timeline is open. */
  readonly open: ReadonlySet<string>;
  /** Path of the selected state of the machine. */
  readonly node?: string | undefined;
  /** Citation shown in the sources. */
  readonly citation?: Citation | undefined;
  /** Counterexample shown on the machine; `step` 0 is its start. */
  readonly walk?: Walk | undefined;
  /** Eval and case on the page. Absent: the threads are. */
  readonly evals?: EvalPlace | undefined;
  /** A page of its own. Absent: the threads or the evals are on the page. */
  readonly page?: OwnPage | undefined;
  readonly palette: boolean;
  readonly forking?: string | undefined;
  readonly theme: Theme;
  /** Column shown in a narrow window. */
  readonly column: 'threads' | 'talk' | 'machine' | 'time';
}

/** Place of the address `#/evals/ID/CASE`. */
export interface EvalPlace {
  /** Absent: no eval is open. */
  readonly id?: string;
  readonly case?: string;
}

interface Walk {
  readonly workflow: string;
  /** Name of the promise. */
  readonly name: string;
  readonly step: number;
}

interface Citation {
  readonly runId: string;
  readonly label: string;
  readonly quote: string;
  readonly index: number;
}

const columns = { threads: 'side', talk: 'talk-col', machine: 'right' } as const;

/** Returns the classes of a column; a narrow window shows only one column. */
export function columnClass({ column }: Ui, own: keyof typeof columns): string {
  const isShown = column === own || (own === 'machine' && column === 'time');
  return `col ${columns[own]}${isShown ? ' shown' : ''}`;
}

/** A page with an address of its own. */
export type OwnPage = 'review' | 'operations';

export const reviewAddress = '#/review';
export const operationsAddress = '#/operations';

/** Reads a page from the hash of an address. */
export const ownPageOf = (hash: string): OwnPage | undefined =>
  hash === reviewAddress ? 'review' : hash === operationsAddress ? 'operations' : undefined;

/** Reads a place of the evals from the hash of an address. */
export function evalPlaceOf(hash: string): EvalPlace | undefined {
  const [, id, name] = /^#\/evals(?:\/([\w-]{1,64})(?:\/(.+))?)?\/?$/.exec(hash) ?? [];
  if (!/^#\/evals(?:\/|$)/.test(hash)) return undefined;
  return { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { case: decoded(name) }) };
}

/** Address of a place of the evals. */
export const evalAddress = (id: string, name?: string): string =>
  `#/evals/${id}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a hand-written address may have a single %
  }
}

export interface UiContext {
  readonly ui: Ui;
  change(change: Partial<Ui>): void;
  switchLanguage(): void;
}

export const UiContext = createContext<UiContext | undefined>(undefined);

export function useUi(): UiContext {
  const value = use(UiContext);
  if (!value) throw new Error('useUi is called outside of the studio.');
  return value;
}

/** View of a run now, or at the time of an entry. */
export function viewOf(run: RunState, held: number | undefined): RunView {
  if (held === undefined || held >= (run.entries.at(-1)?.seq ?? 0)) return run.log.view;
  return viewAt(run.log.events, eventsUntil(run.entries, held, run.log.events));
}
