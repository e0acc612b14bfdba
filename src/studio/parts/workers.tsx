import { type ReactNode, useCallback } from 'react';
import type { Calls } from '../../server/api/calls.ts';
import { shortId } from '../model/format.ts';
import { oneLine } from '../model/one-line.ts';
import { age, moment } from '../model/operations-view.ts';
import { visibleText } from '../model/visible-text.ts';
import { operationWords } from '../model/words/operations.ts';
import { useLanguage, useStudio, useWords } from './studio-context.tsx';
import { Trouble } from './trouble.tsx';
import { useRead } from './use-read.ts';

type WorkerStatus = Calls['listWorkers']['answer']['workers'][number];

/** Workers and servers of the store, with the runs that lost ones have left. */
export function Workers({ reads }: { readonly reads: number }): ReactNode {
  const say = useWords();
  const words = operationWords[useLanguage()];
  const studio = useStudio();
  const list = useRead(
    useCallback(() => studio.api.listWorkers(), [studio]),
    reads,
  );
  return (
    <section className="fleet-box" aria-label={words.workers}>
      <h3 className="b">{words.workers}</h3>
      {list.trouble ? <Trouble error={list.trouble} /> : null}
      {list.isSlow ? <p className="quiet">{say.reading}</p> : null}
      {list.value?.workers.length === 0 ? (
        <p className="quiet">
          {words.noWorkers} <code>agent-machines work</code>
        </p>
      ) : null}
      <ul>
        {list.value?.workers.map((worker) => (
          <Worker key={worker.id} worker={worker} />
        ))}
      </ul>
    </section>
  );
}

function Worker({ worker }: { readonly worker: WorkerStatus }): ReactNode {
  const language = useLanguage();
  const words = operationWords[language];
  const { id, role, state, version, since, seenAt, used, slots, runs } = worker;
  const now = Date.now();
  const rows: readonly (readonly [string, string])[] = [
    [words.role, words.roles[role]],
    [words.version, version === undefined ? '–' : oneLine(version, 40)],
    [words.since, moment(since, now, language)],
    [words.capacity, `${used} / ${slots}`],
    [words.heartbeat, words.ago(age(now - seenAt, language))],
  ];
  return (
    <li data-worker={id}>
      <div className="row">
        <span className="mono cut" title={visibleText(id)}>
          {visibleText(id)}
        </span>
        <span className={`tagx${state === 'lost' ? ' rd' : state === 'draining' ? ' am' : ''}`}>{words.workerStates[state]}</span>
      </div>
      <dl className="sm">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {runs.length > 0 ? (
        <p className="sm rd">
          {words.left(runs.length)} <span className="mono">{runs.map(shortId).join(' ')}</span>
        </p>
      ) : null}
    </li>
  );
}
