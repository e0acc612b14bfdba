/** `denied`: the sentence says the opposite. `unclear`: it may. */
export type Negation = 'denied' | 'unclear';

const harmless =
  /\b(?:not|no) (?:later|less|more|earlier|fewer|sooner) than\b|\bnot (?:only|limited to)\b|\bwhether or not\b|\bno matter\b|\bexclud(?:es?|ing) (?:VAT|taxes)\b/gi;
const negator = /\b(?:not|never|no|nothing|neither|nor|none|cannot|excludes?|rules? out|without(?= (?:an?y? )?automatic))\b/gi;
/** After these, other words may be meant. */
const other = /\b(?:and|or|if|when|where|until|that|which|who|unless|because|as)\b/i;
const condition = /\b(?:if|when|where|until|that|which|who|unless|because)\b/i;
const ownEn = /\bn(?:o|ot|ever)\b|without/;
/** Lookarounds exclude words instead of matching them. */
const lookaround = /\(\?<?![^()]*(?:\([^()]*\)[^()]*)*\)/g;
const verb = /\b(?:shall|will|may|must|does|do|is|are|has|have)\s$/i;
/** Two negations affirm. */
const affirmed = /\b(?:until|unless|except|only|other than|but for)\b/i;
const denial =
  /^(?:\s(?:clause|provision))?(?:\sof (?:the |this )?\w+)?\s(?:is|are|shall|will|does|do|has|have)(?: be| been)?(?: \w+ly)? (?:not|never|excluded|ruled out|prohibited)\b/i;
const definition =
  /^["“][^"”]{1,60}["”]\s+(?:means?|shall mean|refers? to|includes?)\b|^["“'‘「][^"”'’」]{1,30}["”'’」]\s?(?:이?란|이?라\s?함은|은|는)\s.*(?:말한다|뜻한다|의미한다)/i;

const twiceKo = /(?:아니|않)[가-힣]{0,3}\s?(?:수\s?(?:는|가)?\s?없|것(?:은|이)\s?아니)/;
const conditionKo =
  /^(?:하?면|으면|하?거나|거나|는\s?(?:한|경우|때|이상)|하?는\s?(?:한|경우|때|이상)|은\s?(?:경우|때|날|채|자)|한\s?(?:경우|때|날|채|자)|을\s?(?:경우|때)|고\s|하고\s|더라도|아도)/;
const deniedKo = /(?:지(?:는|도)?\s?(?:아니|않|못)|(?:의무|책임|권리|바|것|일)(?:가|이|은|는|도)?\s?없)/g;
const clauseEndKo = /[.;]|(?:하며|으며|이며|되며|지만|으나|다만)[\s,]|고,?\s(?=[가-힣]{1,8}[”"’']?(?:은|는)\s)/;
const spoken = /[가-힣]/;
const ownKo = /않|아니|없|못|불가|금지/;

/**
 * Tells whether a sentence denies what a rule has found in it. A negation within the found words counts only if the rule knows none itself.
 *
 * @param source expressions of the rule
 */
export function negationOf(text: string, found: RegExpExecArray, source: string): Negation | undefined {
  if (definition.test(text)) return 'unclear';
  return spoken.test(text) ? koreanNegation(text, found, source) : englishNegation(text, found, source);
}

function englishNegation(whole: string, { 0: words, index }: RegExpExecArray, source: string): Negation | undefined {
  const text = whole.replace(harmless, (same) => ' '.repeat(same.length));
  const end = index + words.length;
  if (denial.test(text.slice(end))) return 'denied';
  const inside = ownEn.test(source.replace(lookaround, '').replaceAll('\\b', ' ')) ? '' : text.slice(index, end);
  const head = /(?:[,;:]|\b(?:but|however)\b)?(?:(?!\b(?:but|however)\b)[^,;:])*$/i.exec(text.slice(0, index))?.[0] ?? '';
  const clause = head + inside.replace(/\b(?:unless|if|until)\b.*$/i, '');
  const last = [...clause.matchAll(negator)].at(-1);
  if (!last) return undefined;
  if (affirmed.test(text.slice(index - head.length + last.index, end))) return 'unclear';
  const between = clause.slice(last.index, Math.max(last.index, head.length));
  const isSure = last.index <= head.length || verb.test(clause.slice(0, last.index));
  return isSure && !condition.test(clause.slice(0, last.index)) && !other.test(between) ? 'denied' : 'unclear';
}

function koreanNegation(text: string, { 0: words, index }: RegExpExecArray, source: string): Negation | undefined {
  const rest = text.slice(index);
  const limit = clauseEndKo.exec(rest.slice(words.length));
  const clause = rest.slice(0, words.length + (limit?.index ?? rest.length));
  if (twiceKo.test(rest)) return 'denied';
  if (ownKo.test(source.replace(lookaround, ''))) return undefined;
  for (const { 0: negation, index: at } of clause.matchAll(deniedKo)) {
    const behind = clause.slice(at + negation.length);
    if (!conditionKo.test(behind)) return at + negation.length > words.length - 6 ? 'denied' : 'unclear';
  }
  return undefined;
}
