import { withReferences } from './with-references.ts';

/** A sub-task with its place in the plan shown to the user; place 0 means that it is new. */
interface Item {
  readonly place: number;
  readonly text: string;
}
type Items = readonly Item[];

/**
 * Changes the plan as the user asks: removes, adds, renames or reorders sub-tasks. `undefined` for any other request, or if the result has
 * fewer than two or more than five sub-tasks.
 */
export function revisePlan(plan: readonly string[], feedback: string): readonly string[] | undefined {
  if (feedback.length > maxFeedback || refusal.test(feedback)) return undefined;
  let items: Items | undefined = plan.map((text, index) => ({ place: index + 1, text }));
  for (const clause of feedback.split(conjunction).filter((part) => part.trim() !== '')) {
    items = items && applied(items, clause.trim().replace(/[.!~]+$/u, ''), plan);
  }
  const changed = items?.map(({ text }) => text);
  return changed && changed.length >= 2 && changed.length <= 5 && new Set(changed).size === changed.length ? changed : undefined;
}

/** Maximum length of a request that rules understand. */
const maxFeedback = 300;
/** A ban on something, without an alternative. */
const refusal = /지\s?(?:마|말)|\b(?:do not|don't|never)\b/iu;
const conjunction =
  /(?<=(?:빼|삭제하|제거하|없애|추가하|넣|바꾸|옮기|변경하)고)\s+|\s*(?:그리고|;|\band then\b|,?\s\band\b(?=\s+(?:add|remove|drop|delete|rename|change|move|swap|put|include)\b))\s*/iu;

function applied(items: Items, clause: string, plan: readonly string[]): Items | undefined {
  const text = withReferences(clause, plan);
  const places = [...text.matchAll(/«(\d+)»/g)].map(([, digit]) => Number(digit));
  if (places.some((place) => items.every((item) => item.place !== place))) return undefined;
  return added(items, clause, text) ?? renamed(items, text) ?? removed(items, text, places) ?? reordered(items, text, places);
}

const ref = '«(\\d+)»';
const particle = '(?:을|를|은|는|이|가|도)?';

function removed(items: Items, text: string, places: readonly number[]): Items | undefined {
  if (!/빼|뺐|삭제|제거|없애|지워|필요\s?없|제외|\b(?:remove|delete|drop|without|skip|leave out|get rid of|no need)\b/iu.test(text))
    return undefined;
  return places.length === 0 ? undefined : items.filter(({ place }) => !places.includes(place));
}

const renames = [
  new RegExp(
    `^${ref}\\s*${particle}\\s+["'“‘]?(.+?)["'”’]?\\s*(?:으로|로)\\s*(?:이름을?\\s*)?(?:바꿔|바꾸|변경|고쳐|고치|수정|교체|대체)`,
    'u',
  ),
  new RegExp(`^${ref}\\s*(?:의\\s*)?이름을?\\s*["'“‘]?(.+?)["'”’]?\\s*(?:으로|로)(?:\\s|$)`, 'u'),
  new RegExp(
    `^${ref}\\s*${particle}\\s*(?:대신에?|말고)\\s*["'“‘]?(.+?)["'”’]?(?:을|를|으로|로)?(?:\\s*(?:넣어|해|하자|바꿔|가자|부탁).*)?$`,
    'u',
  ),
  new RegExp(
    `^(?:please\\s+)?(?:rename|change|turn|replace)\\s+${ref}\\s+(?:to|into|with|by)\\s+["'“]?(?:an?\\s+|the\\s+)?(.+?)["'”]?$`,
    'iu',
  ),
  new RegExp(`^instead of\\s+${ref},?\\s+["'“]?(?:an?\\s+|the\\s+)?(.+?)["'”]?$`, 'iu'),
];

function renamed(items: Items, text: string): Items | undefined {
  const [, digit, name = ''] = renames.map((pattern) => pattern.exec(text)).find((match) => match !== null) ?? [];
  if (digit === undefined || name.trim() === '' || /«|»|순서/.test(name)) return undefined;
  return items.map((item) => (item.place === Number(digit) ? { ...item, text: capitalized(name.trim()) } : item));
}

const firstPlace = /^\s*(?:맨|제일|가장)?\s*(?:앞|처음|먼저)(?:에|으로)?\s|\s(?:at|to) the (?:beginning|start|front|top)$/iu;
const lastPlace = /^\s*(?:맨|제일|가장)?\s*(?:뒤|끝|마지막|나중)(?:에|으로)?\s|\s(?:at|to) the (?:end|bottom)$/iu;
const beside = [
  new RegExp(`^\\s*${ref}\\s*(앞|전|뒤|다음|이후)(?:에|으로)?\\s+`, 'u'),
  new RegExp(`\\s+(before|after)\\s+${ref}$`, 'iu'),
] as const;
const additions = [
  /^(.+?)\s*(?:도|을|를|은|는|까지)?\s*(?:단계|작업|과정)?(?:를|을|도|까지)?\s*(?:하나\s*)?(?:더\s*)?(?:추가(?:해|하|$|\s)|넣어|넣고|더해|포함(?:해|하|시|$)|있었으면|있으면 좋)/u,
  /^(?:please\s+|also\s+|can you\s+|could you\s+)*(?:add|include|insert)\s+(?:(?:an?|the|another|one more)\s+)?(?:step\s+)?(?:(?:for|about|called|named|to)\s+)?["'“]?(.+?)["'”]?(?:\s+(?:too|as well|please))?$/iu,
];

/** Adds a sub-task under the user's own name, even if an existing sub-task shares a word with it. */
function added(items: Items, clause: string, marked: string): Items | undefined {
  const [before] = beside.map((pattern) => pattern.exec(marked)).filter((match) => match !== null);
  const [near, where] = before
    ? [before.find((part) => /^\d+$/.test(part)), before.find((part) => /^[^\d«]+$/.test(part.trim()) && part.length < 7)]
    : [];
  const bare = (before ? marked.replace(before[0], ' ') : clause).trim();
  const [, wish = ''] =
    additions
      .map((pattern) => pattern.exec(bare.replace(firstPlace, ' ').replace(lastPlace, ' ').trim()))
      .find((match) => match !== null) ?? [];
  const text = capitalized(wish.replace(/[\s,]+$/u, ''));
  if (text === '' || /^(?:아무|뭔가|뭐|더$|하나|something|anything|more$|one$)|«|»|(?:^|\s)\d+번/iu.test(text)) return undefined;
  const item = { place: 0, text };
  if (near !== undefined) {
    const at = items.findIndex(({ place }) => place === Number(near)) + (/앞|전|before/iu.test(where ?? '') ? 0 : 1);
    return [...items.slice(0, at), item, ...items.slice(at)];
  }
  return firstPlace.test(bare) ? [item, ...items] : [...items, item];
}

function reordered(items: Items, text: string, places: readonly number[]): Items | undefined {
  if (/거꾸로|역순|반대로|\breverse\b/iu.test(text) && places.length === 0) return [...items].reverse();
  if (places.length === items.length && new Set(places).size === places.length && /순|order|→|>|^[«»\d\s,\-–]+$/iu.test(text)) {
    return places.flatMap((place) => items.filter((item) => item.place === place));
  }
  const [a = 0, b = 0] = places;
  const at = (place: number): number => items.findIndex((item) => item.place === place);
  if (places.length === 2) {
    if (
      new RegExp(`${ref}\\s*(?:과|와|하고|이랑|랑|and|,|&)\\s*${ref}`, 'iu').test(text) &&
      /순서|바꿔|바꾸|맞바|swap|switch|exchange/iu.test(text)
    ) {
      return items.map((item) => items[item.place === a ? at(b) : item.place === b ? at(a) : at(item.place)] ?? item);
    }
    const [, side] =
      new RegExp(`${ref}\\s*${particle}\\s*${ref}\\s*(?:의\\s*)?(?<side>앞|전|뒤|다음|자리|위치)`, 'u').exec(text)?.slice(2) ?? [];
    const [word] = /\b(?:before|after|to)\b/iu.exec(text) ?? [];
    const verb = /\b(?:move|put|place|do)\b/iu.test(text);
    if (side === undefined && !(verb && word)) return undefined;
    return moved(items, a, b, side ?? word ?? '');
  }
  if (
    places.length !== 1 ||
    !/앞|처음|먼저|우선|뒤|끝|마지막|나중|\b(?:first|front|top|beginning|start|last|end|back|bottom)\b/iu.test(text)
  )
    return undefined;
  const one = items.filter(({ place }) => place === a);
  const rest = items.filter(({ place }) => place !== a);
  return /뒤|끝|마지막|나중|\b(?:last|end|back|bottom)\b/iu.test(text) ? [...rest, ...one] : [...one, ...rest];
}

function moved(items: Items, from: number, to: number, side: string): Items {
  const index = (place: number, list: Items): number => list.findIndex((item) => item.place === place);
  const rest = items.filter(({ place }) => place !== from);
  const before = /앞|전|before/iu.test(side);
  const after = /뒤|다음|after/iu.test(side);
  const at = before ? index(to, rest) : after ? index(to, rest) + 1 : index(to, items);
  return [...rest.slice(0, at), ...items.filter(({ place }) => place === from), ...rest.slice(at)];
}

const capitalized = (text: string): string => (/^[a-z]+(?:\s|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text);
