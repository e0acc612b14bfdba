import { type ReactNode, useState } from 'react';
import { isObject } from '../../core/util/is-object.ts';
import { fileBytes } from '../../core/util/without-files.ts';
import { visibleText } from '../model/visible-text.ts';
import { useWords } from './studio-context.tsx';

const firstLines = 12;
const longestLine = 2_000;

/** Shows a text unchanged, with invisible characters made visible. A long text is collapsed until the user expands it. */
export function CodeText({ text, whole = false }: { readonly text: string; readonly whole?: boolean }): ReactNode {
  const say = useWords();
  const [all, setAll] = useState(whole);
  const shown = visibleText(text);
  const lines = shown.split('\n');
  const isLong = lines.length > firstLines || shown.length > longestLine;
  return (
    <>
      <pre>{all || !isLong ? shown : lines.slice(0, firstLines).join('\n').slice(0, longestLine)}</pre>
      {!isLong || all ? null : (
        <button type="button" className="link" onClick={() => setAll(true)}>
          {say.showAll(lines.length)}
        </button>
      )}
    </>
  );
}

export const jsonText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''));

/** JSON of a stored value, without the content of its files. */
export const storedText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, withoutContent, 2) ?? '');

function withoutContent(this: unknown, key: string, value: unknown): unknown {
  const isContent = key === 'data' && typeof value === 'string' && isObject(this) && typeof this.mediaType === 'string';
  return isContent ? `${fileBytes({ data: value })} bytes` : value;
}
