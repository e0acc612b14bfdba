import { type ReactNode, useState } from 'react';
import { focused } from './focused.ts';

interface LineFormProps {
  /** What is to be written, and what the field is called. */
  readonly label: string;
  readonly busy: boolean;
  /** What the button is called, where its content says nothing. */
  readonly buttonLabel?: string;
  /** @default 2000 */
  readonly maxLength?: number;
  /** The button's content. */
  readonly children: ReactNode;
  /** Is given what was written; nothing is never sent. */
  onSend(text: string): void;
  onClose(): void;
}

/** One line to write to whoever asks, sent with Enter and left with Escape. */
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
