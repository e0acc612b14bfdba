import { type ReactNode, useState } from 'react';
import { focused } from './focused.ts';

interface LineFormProps {
  /** Label and accessible name of the field. */
  readonly label: string;
  readonly busy: boolean;
  /** Accessible name of the button, if its content has no text. */
  readonly buttonLabel?: string;
  /** @default 2000 */
  readonly maxLength?: number;
  readonly children: ReactNode;
  /** Receives the text; never called with an empty text. */
  onSend(text: string): void;
  onClose(): void;
}

/** A one-line reply form; Enter sends and Escape closes. */
export function LineForm({ label, busy, buttonLabel, maxLength = 2000, children, onSend, onClose }: LineFormProps): ReactNode {
  const [text, setText] = useState('');
  return (
    <form
      className="wish"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onSend(text.trim());
      }}
    >
      <input
        ref={focused}
        value={text}
        disabled={busy}
        placeholder={label}
        aria-label={label}
        maxLength={maxLength}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      />
      <button type="submit" className="btn" disabled={busy || text.trim() === ''} aria-label={buttonLabel}>
        {children}
      </button>
    </form>
  );
}
