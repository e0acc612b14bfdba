import type { ReactNode } from 'react';
import type { PromiseVerdict, WayStep } from '../../core/ports/promise-report.ts';
import { stateLines } from '../model/changed-keys.ts';
import { oneLine } from '../model/one-line.ts';
import { visibleText } from '../model/visible-text.ts';
import { placeAt } from '../model/walk-view.ts';
import type { StudioState } from '../state/studio-state.ts';
import { focused } from './focused.ts';
import { Icon } from './icon.tsx';
import { useStudioState, useWords } from './studio-context.tsx';
import { type Ui, useUi } from './ui-state.tsx';

/** Verdict of the selected counterexample; `undefined` if none is selected, or the promise now holds. */
export const walkedVerdict = ({ reports }: StudioState, walk: Ui['walk']): PromiseVerdict | undefined =>
  walk && reports[walk.workflow]?.report?.promises.find(({ name, way }) => name === walk.name && way !== undefined);

/** Steps through a counterexample: the ended node, its result, the transition and the changes. */
export function Walk(): ReactNode {
  const say = useWords();
  const { ui, change } = useUi();
  const verdict = useStudioState((state) => walkedVerdict(state, ui.walk));
  const { walk } = ui;
  if (!walk || !verdict?.way) return null;
  const { way } = verdict;
  const { step } = walk;
  const go = (to: number): void => change({ walk: { ...walk, step: to } });
  const changes = stateLines(placeAt(way, step).state, step > 0 ? placeAt(way, step - 1).state : undefined).filter(
    (line) => line.change && !line.size,
  );
  return (
    <section className="time walk" aria-label={say.counterexample}>
      <div className="row time-head">
        <span className="b rd">{say.counterexample}</span>
        <span className="grow cut">{visibleText(verdict.name)}</span>
        <button type="button" className="ib" aria-label={say.close} onClick={() => change({ walk: undefined })}>
          <Icon name="cross" />
        </button>
      </div>
      <p className="sm t2">{visibleText(verdict.why ?? '')}</p>
      <div className="row">
        <button type="button" className="btn small" disabled={step === 0} onClick={() => go(step - 1)} data-act="back">
          {say.stepBack} <kbd>k</kbd>
        </button>
        <button
          type="button"
          className="btn small"
          disabled={step === way.steps.length}
          onClick={() => go(step + 1)}
          data-act="on"
          ref={focused}
        >
          {say.stepNext} <kbd>j</kbd>
        </button>
        <span className="sm t3" aria-live="polite">
          {say.stepOf(step, way.steps.length)}
        </span>
      </div>
      <ol className="entries">
        <li className={step === 0 ? 'cur' : ''}>
          <button type="button" className="mono cut" aria-current={step === 0 ? 'step' : undefined} onClick={() => go(0)}>
            {say.startsIn} {way.start.active.join(' | ')}
          </button>
        </li>
        {way.steps.map((one, index) => (
          <li key={`${index} ${one.by}`} className={step === index + 1 ? 'cur' : ''}>
            <button type="button" className="mono cut" aria-current={step === index + 1 ? 'step' : undefined} onClick={() => go(index + 1)}>
              {stepText(one)}
            </button>
          </li>
        ))}
        {way.loopFrom === undefined ? null : <li className="sm t3">{say.repeatsFrom(way.loopFrom + 1)}</li>}
      </ol>
      {changes.length > 0 ? (
        <ul className="tree">
          {changes.map(({ path, value, change: what }) => (
            <li key={path} className="ch">
              <span className="k">{visibleText(path)}</span> <span className="v">{oneLine(JSON.stringify(value ?? null), 200)}</span>
              <span className="tagx">{what === 'added' ? `+ ${say.added}` : say.changed}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

const stepText = ({ by, outcome, edges, to }: WayStep): string => {
  const taken = edges.map(({ from, on, guard }) => `${from === by ? '' : `${from} `}${on}${guard === undefined ? '' : ` [${guard}]`}`);
  return oneLine(`${by}: ${outcome} — ${taken.join(', ')} → ${to.active.join(' | ')}`, 400);
};
