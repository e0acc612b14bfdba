import { type ReactNode, useState } from 'react';
import { isNotOffered, toFailure } from '../api/to-failure.ts';
import { useWords } from './studio-context.tsx';

/** Copies a text to the clipboard, and shows the success or the error. */
export function CopyButton({ label, text }: { readonly label: string; text(): Promise<string> }): ReactNode {
  const say = useWords();
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await text());
      setSaid(say.copied);
    } catch (cause) {
      setSaid(isNotOffered(cause) ? say.notOffered : toFailure(cause).message);
    }
  };
  return (
    <button type="button" className="btn q small" onClick={() => void copy()}>
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}
