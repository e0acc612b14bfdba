import { element } from './element.ts';
import type { Step } from './steps.ts';
import type { Words } from './words.ts';

/** Shows all details of a step. */
export function showDetails(step: Step, words: Words): HTMLElement {
  const { title, at, key, durationMs, tokens, tools, entry, patch, event, failed } = step;
  const facts: readonly (readonly [string, string | undefined])[] = [
    [words.time, new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 })],
    ['key', key],
    [words.duration, durationMs === undefined ? undefined : milliseconds(durationMs)],
    [words.tokens, tokens?.toLocaleString()],
  ];
  return element(
    'div',
    {},
    element('h3', {}, title, failed ? element('span', { class: 'status bad' }, words.failed) : undefined),
    element(
      'dl',
      {},
      ...facts.flatMap(([name, value]) => (value === undefined ? [] : [element('dt', {}, name), element('dd', {}, value)])),
    ),
    ...(tools.length === 0
      ? []
      : [
          element('h4', {}, words.tools),
          element(
            'ul',
            { class: 'tools' },
            ...tools.map((call) =>
              element(
                'li',
                {},
                element('code', {}, `${call.tool}(${call.args === undefined ? '' : JSON.stringify(call.args)})`),
                call.durationMs === undefined ? undefined : ` ${milliseconds(call.durationMs)}`,
                call.error === undefined ? undefined : element('span', { class: 'status bad' }, call.error),
              ),
            ),
          ),
        ]),
    ...block(words.change, patch, true),
    ...block(words.event, event, false),
    ...block(entry ? `${words.journal} ${entry.seq} · ${entry.kind}` : words.journal, entry, false),
  );
}

/** Shows the source of the machine; nothing if it is unknown. */
export const showSource = (source: string, { source: name }: Words): readonly HTMLElement[] =>
  source === '' ? [] : [textBlock(name, source, false)];

function block(name: string, value: unknown, open: boolean): readonly HTMLElement[] {
  if (value === undefined) return [];
  return [textBlock(name, JSON.stringify(value, null, 2), open)];
}

function textBlock(name: string, text: string, open: boolean): HTMLElement {
  const shown = element('pre', { tabindex: '0', role: 'region', 'aria-label': name }, text);
  return element('details', { open }, element('summary', {}, name), shown);
}

const milliseconds = (value: number): string => (value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`);
