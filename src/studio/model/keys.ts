/** Shortcut of a key press. Letters are read from the physical key, independent of the input language. */
export function shortcutOf(event: Pick<KeyboardEvent, 'key' | 'code' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey'>): string {
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase();
  const key = letter ?? (event.code === 'Slash' && !event.shiftKey ? '/' : event.key);
  const command = event.metaKey || event.ctrlKey ? '⌘' : '';
  const shift = event.shiftKey && letter !== undefined ? '⇧' : '';
  return `${command}${event.altKey ? '⌥' : ''}${shift}${key}`;
}

/** True for a text input, in which letters are no shortcuts. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
