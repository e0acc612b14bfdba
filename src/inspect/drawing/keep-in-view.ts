/** Scrolls a container so that an element inside it is visible. Does not scroll the page. */
export function keepInView(container: Element, element: Element | null): void {
  if (!element) return;
  const [outer, inner] = [container.getBoundingClientRect(), element.getBoundingClientRect()];
  const top =
    inner.top < outer.top || inner.bottom > outer.bottom ? middleOf(inner.top, inner.bottom) - middleOf(outer.top, outer.bottom) : 0;
  const left =
    inner.left < outer.left || inner.right > outer.right ? middleOf(inner.left, inner.right) - middleOf(outer.left, outer.right) : 0;
  if (top !== 0 || left !== 0) container.scrollBy({ top, left });
}

const middleOf = (from: number, to: number): number => (from + to) / 2;
