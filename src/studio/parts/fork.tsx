import { type ReactNode, useState } from 'react';
import type { ApiFailure } from '../../server/client/api-failure.ts';
import { toFailure } from '../api/to-failure.ts';
import { objectIn } from './call-review.tsx';
import { focused } from './focused.ts';
import { useStudio, useWords } from './studio-context.tsx';
import { Trouble } from './trouble.tsx';

/** Forks a run, optionally with changes. */
export function Fork({ runId, at, onClose }: { readonly runId: string; readonly at: string; onClose(): void }): ReactNode {
  const say = useWords();
  const studio = useStudio();
  const [patch, setPatch] = useState('');
  const [repeatOnce, setRepeatOnce] = useState(false);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<ApiFailure>();
  const given = patch.trim() === '' ? undefined : objectIn(patch);
  const isWrong = patch.trim() !== '' && !given;
  const fork = async (): Promise<void> => {
    setBusy(true);
    try {
      await studio.fork(runId, { at, ...(given ? { patch: given } : {}), ...(repeatOnce ? { repeatOnce } : {}) });
      onClose();
    } catch (cause) {
      setTrouble(toFailure(cause));
      setBusy(false);
    }
  };
  return (
    <form
      className="fork"
      aria-label={say.forkTitle(at)}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && !isWrong) void fork();
      }}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <p className="b">{say.forkTitle(at)}</p>
      <p className="t2 sm">{say.forkHint}</p>
      <textarea
        ref={focused}
        rows={3}
        value={patch}
        spellCheck={false}
        placeholder="{ }"
        aria-label={say.patch}
        onChange={(event) => setPatch(event.target.value)}
      />
      {isWrong ? <p className="rd sm">{say.notJson}</p> : null}
      <label className="row sm t2">
        <input type="checkbox" checked={repeatOnce} onChange={(event) => setRepeatOnce(event.target.checked)} />
        {say.repeatOnce}
      </label>
      {trouble ? <Trouble error={trouble} /> : null}
      <div className="acts">
        <button type="submit" className="btn p" disabled={busy || isWrong}>
          {busy ? say.forking : say.fork}
        </button>
        <button type="button" className="btn q" onClick={onClose}>
          {say.cancel}
        </button>
      </div>
    </form>
  );
}
