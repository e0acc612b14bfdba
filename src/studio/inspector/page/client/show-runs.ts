import type { FeedRun } from '../../node/feed-types.ts';
import { button, element } from './element.ts';
import type { Words } from './words.ts';

/** Shows the runs, newest first. */
export function showRuns(runs: readonly FeedRun[], chosen: string | undefined, words: Words, choose: (id: string) => void): HTMLElement {
  if (runs.length === 0) return element('p', { class: 'quiet' }, words.noRuns);
  return element(
    'ul',
    { class: 'runs' },
    ...runs.map((run, index) => {
      const { id, name, status, startedAt, parent } = run;
      const made = button('', () => choose(id), { id: `run-${index}`, 'aria-current': id === chosen ? 'true' : undefined });
      made.append(
        element('span', { class: 'name' }, (parent === undefined ? '' : '↳ ') + name),
        element('span', { class: `status ${toneOf(run)}` }, status),
        element('span', { class: 'quiet' }, `${new Date(startedAt).toLocaleTimeString()} · ${id}`),
      );
      return element('li', {}, made);
    }),
  );
}

/** Returns the color class of a run's status. */
export function toneOf({ status, failure }: FeedRun): string {
  if (failure !== undefined || status === 'failed' || status === 'error' || status === 'in_doubt') return 'bad';
  if (status === 'waiting' || status === 'paused' || status === 'queued') return 'waits';
  return status === 'running' || status === 'active' ? 'live' : 'good';
}
