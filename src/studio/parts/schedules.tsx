import { type ReactNode, useCallback, useState } from 'react';
import { newId } from '../../core/util/ids.ts';
import type { ScheduleInfo } from '../../server/api/schedules.ts';
import type { ApiFailure } from '../../server/client/api-failure.ts';
import { toFailure } from '../api/to-failure.ts';
import { workflowName } from '../model/format.ts';
import { oneLine } from '../model/one-line.ts';
import { moment } from '../model/operations-view.ts';
import { visibleText } from '../model/visible-text.ts';
import { operationWords } from '../model/words/operations.ts';
import { useLanguage, useStudio, useWords } from './studio-context.tsx';
import { Trouble } from './trouble.tsx';
import { useRead } from './use-read.ts';

interface SchedulesProps {
  readonly reads: number;
  onChange(): void;
}

/** The schedules of the store. Those that belong to the code of a worker have no buttons. */
export function Schedules({ reads, onChange }: SchedulesProps): ReactNode {
  const say = useWords();
  const words = operationWords[useLanguage()];
  const studio = useStudio();
  const list = useRead(
    useCallback(() => studio.api.listSchedules(), [studio]),
    reads,
  );
  return (
    <section className="fleet-box" aria-label={words.schedules}>
      <h3 className="b">{words.schedules}</h3>
      {list.trouble ? <Trouble error={list.trouble} /> : null}
      {list.isSlow ? <p className="quiet">{say.reading}</p> : null}
      {list.value?.schedules.length === 0 ? (
        <p className="quiet">
          {words.noSchedules} <code>agent-machines schedules add</code>
        </p>
      ) : null}
      <ul>
        {list.value?.schedules.map((schedule) => (
          <Schedule key={schedule.name} schedule={schedule} onChange={onChange} />
        ))}
      </ul>
    </section>
  );
}

function Schedule({ schedule, onChange }: { readonly schedule: ScheduleInfo; onChange(): void }): ReactNode {
  const language = useLanguage();
  const words = operationWords[language];
  const { name, workflow, status, cron, timeZone, nextMs, lastMs, lastError } = schedule;
  const now = Date.now();
  const at = (ms: number | undefined): string => (ms === undefined ? '–' : moment(ms, now, language));
  return (
    <li data-schedule={name}>
      <div className="row">
        <span className="b cut">{visibleText(name)}</span>
        <span className={`tagx${status === 'paused' ? ' am' : ''}`}>{words.status[status]}</span>
      </div>
      <p className="sm t2">
        {oneLine(workflowName(workflow), 60)} {cron === undefined ? null : <code>{visibleText(cron)}</code>} {visibleText(timeZone ?? '')}
      </p>
      <p className="sm t2">
        {words.next} {at(nextMs)} · {words.last} {at(lastMs)}
      </p>
      {lastError ? (
        <p className="sm rd">
          <code>{visibleText(lastError.code)}</code> {visibleText(lastError.message)}
        </p>
      ) : null}
      {status === 'declared' ? null : <Actions name={name} paused={status === 'paused'} onChange={onChange} />}
    </li>
  );
}

interface ActionsProps {
  readonly name: string;
  readonly paused: boolean;
  onChange(): void;
}

function Actions({ name, paused, onChange }: ActionsProps): ReactNode {
  const words = operationWords[useLanguage()];
  const { api } = useStudio();
  const [sure, setSure] = useState(false);
  const [busy, setBusy] = useState(false);
  const [note, setNote] = useState('');
  const [trouble, setTrouble] = useState<ApiFailure>();
  const target = { params: { id: name } };
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setTrouble(undefined);
    setNote('');
    try {
      await work();
      onChange();
    } catch (cause) {
      setTrouble(toFailure(cause));
    }
    setSure(false);
    setBusy(false);
  };
  const trigger = async (): Promise<void> => {
    const { runId } = await api.triggerSchedule(target, { idempotencyKey: newId('k') });
    setNote(words.started(name, runId));
  };
  const button = (key: 'pause' | 'resume' | 'trigger' | 'remove' | 'confirmRemove' | 'keep', press: () => void): ReactNode => (
    <button
      type="button"
      className={`btn small${key === 'confirmRemove' ? ' danger' : ''}`}
      data-act={key}
      aria-label={`${words[key]}: ${name}`}
      disabled={busy}
      onClick={press}
    >
      {words[key]}
    </button>
  );
  return (
    <>
      <div className="row">
        {sure ? (
          <>
            {button('confirmRemove', () => void act(() => api.removeSchedule(target)))}
            {button('keep', () => setSure(false))}
          </>
        ) : (
          <>
            {paused
              ? button('resume', () => void act(() => api.resumeSchedule(target)))
              : button('pause', () => void act(() => api.pauseSchedule(target)))}
            {button('trigger', () => void act(trigger))}
            {button('remove', () => setSure(true))}
          </>
        )}
      </div>
      <p className="sm t2" role="status">
        {note}
      </p>
      {trouble ? <Trouble error={trouble} /> : null}
    </>
  );
}
