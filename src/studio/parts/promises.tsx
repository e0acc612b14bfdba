import { type ReactNode, useEffect } from 'react';
import type { PromiseVerdict } from '../../core/ports/promise-report.ts';
import { visibleText } from '../model/visible-text.ts';
import { Icon } from './icon.tsx';
import { useStudio, useStudioState, useWords } from './studio-context.tsx';
import { useUi } from './ui-state.tsx';

/** Promises of a workflow's machine, with their verdicts. */
export function Promises({ workflow }: { readonly workflow: string }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const names = useStudioState(({ details }) => details[workflow]?.invariants) ?? [];
  const look = useStudioState(({ reports }) => reports[workflow]);
  useEffect(() => {
    void studio.readPromises(workflow);
  }, [studio, workflow]);
  const report = look?.report;
  const verdicts = report?.promises ?? names.map((name): PromiseVerdict => ({ name }));
  return (
    <section aria-label={say.promises} aria-busy={look?.reading ?? false}>
      <p className="sm t3" aria-live="polite">
        {look?.trouble ? visibleText(look.trouble) : look?.reading ? say.exploring : report ? coverageText(report, say) : ''}
      </p>
      <ul className="promises">
        {verdicts.map((verdict) => (
          <Promised key={verdict.name} workflow={workflow} verdict={verdict} />
        ))}
      </ul>
    </section>
  );
}

function coverageText(
  { places, complete, cutOff, promises }: { places: number; complete: boolean; cutOff: readonly string[]; promises: readonly unknown[] },
  say: ReturnType<typeof useWords>,
): string {
  if (promises.length === 0) return say.noPromises;
  if (places === 0) return say.notChecked;
  return complete ? say.exploredAll(places) : `${say.exploredSome(places)} ${cutOff.join('; ')}`;
}

function Promised({
  workflow,
  verdict: { name, verdict, reasons = [], why, way },
}: {
  readonly workflow: string;
  readonly verdict: PromiseVerdict;
}): ReactNode {
  const say = useWords();
  const { change } = useUi();
  const isBroken = verdict === 'broken';
  return (
    <li className={isBroken ? 'broken' : ''} data-verdict={verdict ?? 'unknown'}>
      <span className="row">
        <Icon name={verdict === 'holds' ? 'tick' : isBroken ? 'cross' : 'dot'} />
        <span className="grow">
          {visibleText(name)} <span className={`sm ${isBroken ? 'rd' : 't3'}`}>{verdict ? say[verdict] : ''}</span>
        </span>
        {way ? (
          <button
            type="button"
            className="btn small"
            onClick={() => change({ tab: 'machine', column: 'machine', walk: { workflow, name, step: 0 } })}
          >
            {say.walk}
          </button>
        ) : null}
      </span>
      {why ? <p className="sm t2">{visibleText(why)}</p> : null}
      {reasons.map(({ message, hint }) => (
        <p key={message} className="sm t2">
          {visibleText(`${message} ${hint}`)}
        </p>
      ))}
    </li>
  );
}
