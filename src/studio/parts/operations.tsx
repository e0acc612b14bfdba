import { type ReactNode, useCallback, useState } from 'react';
import { type FleetState, fleetStates } from '../../core/ports/fleet-state.ts';
import { countsOf } from '../model/operations-view.ts';
import { operationWords } from '../model/words/operations.ts';
import { FleetRuns } from './fleet-runs.tsx';
import { Icon } from './icon.tsx';
import { Schedules } from './schedules.tsx';
import { useLanguage, useStudio, useWords } from './studio-context.tsx';
import { Foot, moveInList } from './threads.tsx';
import { columnClass, useUi } from './ui-state.tsx';
import { useRead } from './use-read.ts';
import { Workers } from './workers.tsx';
import '../styles/evals.css';
import '../styles/operations.css';

/** The runs by state with actions on many, the schedules and the workers. */
// biome-ignore lint/style/noDefaultExport: React loads the default export of a lazy part
export default function Operations(): ReactNode {
  const say = useWords();
  const { ui, change } = useUi();
  const [state, setState] = useState<FleetState>('failed');
  const [reads, setReads] = useState(0);
  const readAgain = useCallback(() => setReads((now) => now + 1), []);
  const choose = (next: FleetState): void => {
    setState(next);
    readAgain();
    change({ column: 'talk' });
  };
  return (
    <>
      <States chosen={state} reads={reads} onChoose={choose} />
      <section className={`${columnClass(ui, 'talk')} wide`} aria-label={say.operations}>
        <div className="head">
          <button type="button" className="ib back" aria-label={say.operations} onClick={() => change({ column: 'threads' })}>
            <Icon name="left" />
          </button>
          <h2 className="b grow">{say.operations}</h2>
          <button type="button" className="ib" aria-label={say.readAgain} title={say.readAgain} onClick={readAgain}>
            <Icon name="again" />
          </button>
        </div>
        <div className="operations">
          <FleetRuns key={state} state={state} reads={reads} onChange={readAgain} />
          <div className="fleet-side">
            <Schedules reads={reads} onChange={readAgain} />
            <Workers reads={reads} />
          </div>
        </div>
      </section>
    </>
  );
}

interface StatesProps {
  readonly chosen: FleetState;
  readonly reads: number;
  onChoose(state: FleetState): void;
}

/** The states of the fleet, with the number of their runs if the server counts them. */
function States({ chosen, reads, onChoose }: StatesProps): ReactNode {
  const say = useWords();
  const words = operationWords[useLanguage()];
  const studio = useStudio();
  const { ui } = useUi();
  const metrics = useRead(
    useCallback(() => studio.api.getMetrics(), [studio]),
    reads,
  );
  const counts = countsOf(metrics.value ?? '');
  return (
    <nav className={columnClass(ui, 'threads')} aria-label={say.operations}>
      <div className="head">
        <a className="ib" href="#/" aria-label={say.threads} title={say.threads}>
          <Icon name="left" />
        </a>
        <h1 className="b grow">{say.operations}</h1>
      </div>
      <div className="list" onKeyDown={moveInList} tabIndex={-1}>
        <h2 className="grp-title">{words.runs}</h2>
        <ul className="fleet-states">
          {fleetStates.map((state) => (
            <li key={state} className={`th${state === chosen ? ' on' : ''}`}>
              <button
                type="button"
                className="row-link"
                data-state={state}
                aria-current={state === chosen ? 'true' : undefined}
                onClick={() => onChoose(state)}
              >
                <span className="grow">{words.fleetStates[state]}</span>
                <span className="t2">{counts.get(state)}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      <Foot />
    </nav>
  );
}
