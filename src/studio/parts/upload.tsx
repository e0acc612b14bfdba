import { type ReactNode, useState } from 'react';
import type { ApiFailure } from '../../server/client/api-failure.ts';
import { toFailure } from '../api/to-failure.ts';
import { documentName } from '../model/document-name.ts';
import { oneLine } from '../model/one-line.ts';
import { visibleText } from '../model/visible-text.ts';
import { Icon } from './icon.tsx';
import { useStudio, useStudioState, useWords } from './studio-context.tsx';
import { Trouble } from './trouble.tsx';
import { useUi } from './ui-state.tsx';

/** Uploads a contract; the sources show its outline at once. */
export function Upload(): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const { change } = useUi();
  const documents = useStudioState((state) => state.documents);
  const [busy, setBusy] = useState(false);
  const [over, setOver] = useState(false);
  const [trouble, setTrouble] = useState<ApiFailure>();
  const take = async (file: File | undefined): Promise<void> => {
    if (!file || busy) return;
    setBusy(true);
    setTrouble(undefined);
    try {
      await studio.upload(file);
      change({ tab: 'sources' });
    } catch (cause) {
      setTrouble(toFailure(cause));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <label
        className={`drop${over ? ' over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void take(event.dataTransfer.files[0]);
        }}
      >
        <input type="file" className="hidden" disabled={busy} onChange={(event) => void take(event.target.files?.[0])} />
        <span>{busy ? say.reading : say.drop}</span>
        <span className="sm t3">{say.dropHint}</span>
      </label>
      {trouble ? <Trouble error={trouble} /> : null}
      {documents.map((document) => (
        <p key={document.id} className="row sm doc">
          <Icon name="page" />
          <span className="b cut">{documentName(document)}</span>
          <span className="t3 grow cut">
            {[oneLine(document.name, 80), document.outline ? say.articles(document.outline.length) : ''].filter(Boolean).join(' · ')}
            {document.notices?.[0] ? ` · ${say.warning(document.notices.length)}: ${visibleText(document.notices[0].message)}` : ''}
          </span>
          <button type="button" className="link" onClick={() => change({ tab: 'sources' })}>
            {say.open}
          </button>
        </p>
      ))}
    </>
  );
}
