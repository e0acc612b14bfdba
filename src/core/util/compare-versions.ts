/**
 * Orders versions by semver, older ones first: numbers by value, a pre-release before its release. Other texts come first, in code unit
 * order. Zero only for equal texts.
 *
 * @example ['1.10.0', '1.9.0', '1.10.0-beta.2'].sort(compareVersions) // 1.9.0, 1.10.0-beta.2, 1.10.0
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [grammar.exec(a), grammar.exec(b)];
  if (left && right) return compareParsed(left, right) || compareText(a, b);
  return Number(left !== null) - Number(right !== null) || compareText(a, b);
}

const grammar = /^v?(\d+(?:\.\d+)*)(?:-([\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*))?(?:\+[\dA-Za-z.-]+)?$/;

/** A release sorts after all its pre-releases. */
const release = '~';

const compareParsed = ([, a = '', beforeA = release]: RegExpExecArray, [, b = '', beforeB = release]: RegExpExecArray): number =>
  compareLists(a.split('.'), b.split('.'), '0') || compareLists(beforeA.split('.'), beforeB.split('.'), '');

/** @param absent stands for a missing part. */
function compareLists(a: readonly string[], b: readonly string[], absent: string): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const order = comparePart(a[at] ?? absent, b[at] ?? absent);
    if (order !== 0) return order;
  }
  return 0;
}

/** Nothing, then numbers by their value, then texts. */
function comparePart(a: string, b: string): number {
  const [left, right] = [kindOf(a), kindOf(b)];
  if (left !== right) return left - right;
  if (left !== 1) return compareText(a, b);
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]; // of any length, so not converted to numbers
  return x.length - y.length || compareText(x, y);
}

const kindOf = (part: string): number => (part === '' ? 0 : /^\d+$/.test(part) ? 1 : 2);

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
