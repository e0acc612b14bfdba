import { type ReactNode, useEffect, useState } from 'react';
import { messageOf } from '../../core/errors/message-of.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import { stateLines } from '../model/changed-keys.ts';
import { duration, sinceStart } from '../model/format.ts';
import { entryText } from '../model/journal-ticks.ts';
import { oneLine } from '../model/one-line.ts';
import { visibleText } from '../model/visible-text.ts';
import type { RunState } from '../state/studio-state.ts';
import { CodeText, jsonText, storedText } from './code-text.tsx';
import { CopyButton } from './copy-button.tsx';
import { Promises } from './promises.tsx';
import { useStudio, useStudioState, useWords } from './studio-context.tsx';
import { type Section, useUi, viewOf } from './ui-state.tsx';

const sections: readonly Section[] = ['entries', 'state', 'prompts', 'events', 'promises'];

/** The whole journal of a run. */
export function Journal({ run }: { readonly run: RunState | undefined }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const { ui, change } = useUi();
  const workflow = useStudioState(({ place }) => place.workflow);
  if (!run) {
    return (
      <div className="journal">
        <p className="quiet">{say.noNode}</p>
        {workflow ? <Promises workflow={workflow} /> : null}
      </div>
    );
  }
  return (
    <div className="journal">
      <div className="row sections">
        {sections.map((section) => (
          <button
            key={section}
            type="button"
            className={`chip${ui.section === section ? ' on' : ''}`}
            aria-pressed={ui.section === section}
            onClick={() => change({ section })}
          >
            {say[section]}
          </button>
        ))}
        <span className="grow" />
        <span className="copies">
          <CopyButton label={say.copy} text={async () => JSON.stringify({ run: run.info, journal: run.entries }, null, 2)} />
          <CopyButton label={say.copyTest} text={() => studio.api.getTest({ params: { id: run.id } })} />
        </span>
      </div>
      {ui.section === 'entries' ? <Entries run={run} /> : null}
      {ui.section === 'state' ? <State run={run} /> : null}
      {ui.section === 'prompts' ? <Prompts run={run} /> : null}
      {ui.section === 'events' ? <CodeText text={run.log.events.map((event) => JSON.stringify(event)).join('\n')} whole /> : null}
      {ui.section === 'promises' ? <Promises workflow={run.workflow} /> : null}
    </div>
  );
}

function Entries({ run }: { readonly run: RunState }): ReactNode {
  const { ui, change } = useUi();
  const start = run.entries[0]?.at ?? 0;
  const last = run.entries.at(-1)?.seq ?? 0;
  return (
    <ol className="entries">
      {run.entries.map((entry) => (
        <li key={entry.seq} className={entry.seq === (ui.held ?? last) ? 'cur' : ''}>
          <details>
            <summary onClick={() => change({ held: entry.seq === last ? undefined : entry.seq })}>
              <span className="k">{entry.seq}</span>
              <span className="k">{sinceStart(entry.at - start)}</span>
              <span>{entry.kind}</span>
              <span className="cut">{entry.key}</span>
              <span className="cut t3">{oneLine(entryText(entry), 90)}</span>
            </summary>
            <div className="unt">
              <CodeText text={jsonText(entry.outcome)} />
            </div>
          </details>
        </li>
      ))}
    </ol>
  );
}

/** State after an entry, with the entry's changes marked. */
function State({ run }: { readonly run: RunState }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const { ui } = useUi();
  const at = ui.held ?? run.entries.at(-1)?.seq ?? 0;
  const [shown, setShown] = useState<{ readonly state: JsonObject; readonly before: JsonObject | undefined; readonly position: string }>();
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    if (at === 0) return undefined; // the journal is empty
    let stale = false;
    const read = async (at: number) => studio.api.getState({ params: { id: run.id }, query: { at } });
    void (async () => {
      try {
        const [now, before] = await Promise.all([read(at), at > 1 ? read(at - 1).catch(() => undefined) : undefined]);
        if (stale) return;
        setShown({ state: now.state, before: before?.state, position: now.position.join(' | ') });
        setTrouble('');
      } catch (cause) {
        if (!stale) setTrouble(messageOf(cause));
      }
    })();
    return () => {
      stale = true;
    };
  }, [studio, run.id, at]);
  if (trouble) return <p className="quiet">{visibleText(trouble)}</p>;
  if (!shown) return <p className="quiet">{say.noState}</p>;
  return (
    <>
      <p className="sm t3">
        {say.afterEntry(at)} · <span className="mono">{shown.position}</span>
      </p>
      <ul className="tree">
        {stateLines(shown.state, shown.before).map((line) => (
          <li key={line.path} className={line.change ? 'ch' : ''} style={{ paddingLeft: 12 + line.depth * 16 }}>
            <span className="k">{visibleText(line.name)}</span>{' '}
            {line.size ? (
              <span className="t3">{line.size}</span>
            ) : (
              <span className="v">{oneLine(JSON.stringify(line.value ?? null), 400)}</span>
            )}
            {line.change ? <span className="tagx">{line.change === 'added' ? `+ ${say.added}` : say.changed}</span> : null}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Each model call, with its response if the journal has it. */
function Prompts({ run }: { readonly run: RunState }): ReactNode {
  const say = useWords();
  const { ui } = useUi();
  const visits = viewOf(run, ui.held).visits.filter(({ models }) => models.length > 0);
  if (visits.length === 0) return <p className="quiet">{say.noPrompts}</p>;
  return visits.map((visit) => (
    <section key={visit.key} className="card">
      {visit.models.map((model, index) => (
        <p key={`${model.task} ${index}`} className="sm">
          <span className="mono b">{visit.key}</span> · {model.task} · {model.model} ·{' '}
          {model.durationMs === undefined ? '…' : duration(model.durationMs)}
          {model.usage ? ` · ${model.usage.inputTokens} → ${say.tokens(model.usage.outputTokens)}` : ''}
          {model.cached ? ` · ${say.cached}` : ''}
          {model.error ? <span className="rd"> · {visibleText(model.error.code)}</span> : null}
        </p>
      ))}
      {run.entries
        .filter(({ key, kind }) => (kind === 'step' && key.startsWith(`${visit.key}/ask_`)) || (kind === 'node' && key === visit.key))
        .map((entry) => (
          <div key={entry.seq} className="unt">
            <span className="lab">
              {say.reply} · {say.entryOf(entry.seq)}
            </span>
            <CodeText text={replyIn(entry.outcome)} />
          </div>
        ))}
    </section>
  ));
}

function replyIn(outcome: unknown): string {
  const { output } = (outcome ?? {}) as { readonly output?: unknown };
  return storedText(output ?? outcome);
}
