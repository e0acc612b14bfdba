import type { ReactNode } from 'react';

const paths = {
  plus: 'M8 3v10M3 8h10',
  search: 'M11 7a4 4 0 1 1-8 0 4 4 0 0 1 8 0M10 10l3.5 3.5',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  steps: 'M3 3.5h4M3 8h4M3 12.5h10M10 3.5l1.2 1.2L13.5 2.5M10 8h3',
  fork: 'M8 13.5V5.5M8 5.5 4.5 2.5M8 5.5l3.5-3M5 13.5h6',
  page: 'M4 2.5h5.5L12 5v8.5H4zM6 7.5h4M6 10h4',
  talk: 'M3 3.5h10v7H7l-3 2.5v-2.5H3z',
  tools: 'M9.5 3a3 3 0 0 0-3 4L3 10.5 5.5 13 9 9.5a3 3 0 0 0 4-3.5l-1.8 1.5-1.7-1.7L11 4z',
  wait: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0M6.5 6v4M9.5 6v4',
  ask: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0M6.5 6.6a1.6 1.6 0 1 1 1.9 1.6c-.300.1-.400.3-.400.7M8 10.9h.01',
  tick: 'm3.5 8.5 3 3 6-7',
  cross: 'm4 4 8 8m0-8-8 8',
  again: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.3h-2.3',
  right: 'm6 4 4 4-4 4',
  left: 'm10 4-4 4 4 4',
  down: 'm4 6 4 4 4-4',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  branch:
    'M5 5.5v5M11 5.5c0 3-6 2-6 5M6.5 4a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0M12.5 4a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0M6.5 12a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0',
  pause: 'M5.5 4v8M10.5 4v8',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
  table: 'M2.500 3.5h11v9h-11zM2.500 6.500h11M6.500 3.5v9',
  dash: 'M4 8h8',
  run: 'M8 2.5a5.5 5.5 0 0 1 5.5 5.5',
  dot: 'M8 8h.01',
  thumbUp: 'M5 7.5v6H2.5v-6zM5 7.5 8 2.5c1 0 1.6.8 1.4 1.8L9 6.5h3.5c.8 0 1.3.7 1.1 1.5l-1.2 4.5c-.2.6-.6 1-1.2 1H5',
  thumbDown: 'M5 8.5v-6H2.5v6zM5 8.5 8 13.5c1 0 1.6-.8 1.4-1.800L9 9.5h3.5c.8 0 1.3-.7 1.1-1.5l-1.2-4.5c-.2-.6-.6-1-1.2-1H5',
} as const;

export type IconName = keyof typeof paths;

const heavy: readonly IconName[] = ['more', 'grip', 'dot'];

/** A 16-pixel icon; a text next to it gives the meaning. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true" strokeWidth={heavy.includes(name) ? 2.2 : undefined}>
      {name === 'run' ? <circle cx="8" cy="8" r="5.5" opacity="0.3" /> : null}
      <path d={paths[name]} />
    </svg>
  );
}

const icons: Readonly<Record<string, IconName>> = { guide: 'fork', contract: 'page', chat: 'talk', tool: 'tools' };

/** Icon of a workflow in the list of threads, by the first word of its id. */
export const workflowIcon = (workflow: string): IconName => icons[workflow.split(/[-_]/)[0] ?? ''] ?? 'steps';
