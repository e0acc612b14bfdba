type Child = Node | string | undefined;

/** Creates an element. Texts become text nodes, so data of the feed is never parsed as HTML. */
export function element<TName extends keyof HTMLElementTagNameMap>(
  name: TName,
  attributes: Readonly<Record<string, string | boolean | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[TName] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, '');
    else if (typeof value === 'string') made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function button(
  label: string,
  act: () => void,
  attributes: Readonly<Record<string, string | boolean | undefined>> = {},
): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', act);
  return made;
}

/** Replaces children, except those with the same content. Focus and scroll position are kept. */
export function replace(parent: Element, ...children: readonly Child[]): void {
  const next = element('div', {}, ...children);
  if (parent.innerHTML === next.innerHTML) return;
  const focused = document.activeElement instanceof HTMLElement && parent.contains(document.activeElement) ? document.activeElement.id : '';
  parent.replaceChildren(...next.childNodes);
  if (focused !== '') document.getElementById(focused)?.focus();
}
