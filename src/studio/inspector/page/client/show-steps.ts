import { button, element } from './element.ts';
import type { Step } from './steps.ts';

/** Shows the steps and marks the chosen one. */
export function showSteps(steps: readonly Step[], chosen: number, choose: (index: number) => void): HTMLElement {
  const begin = steps[0]?.at ?? 0;
  return element(
    'ol',
    { class: 'steps' },
    ...steps.map(({ title, at, edge, failed }, index) => {
      const made = button('', () => choose(index), { id: `step-${index}`, 'aria-current': index === chosen ? 'step' : undefined });
      made.append(
        element('span', { class: failed ? 'name bad' : 'name' }, title),
        element(
          'span',
          { class: 'quiet' },
          edge ? `${edge.on}${edge.guard === undefined ? '' : ` [${edge.guard}]`} · +${((at - begin) / 1000).toFixed(2)} s` : '',
        ),
      );
      return element('li', {}, made);
    }),
  );
}
