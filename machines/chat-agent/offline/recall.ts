import { extractFacts, type StatedFact, type WindowState } from 'agent-machines/memory';
import { contentWords, searchTokens } from 'agent-machines/search';

/** `뭐라고 했지?`, `did I say`, `do you remember`: explicit questions about the conversation. */
const asksBack =
  /뭐라고\s?(?:했|말)|[다라자냐]고\s?(?:했|말했|그랬)(?:지|더라|었|나|니|어|습)|(?:이?라고|였|이었)[지더]|기억\s?(?:나|해\?|하고|하니|하세요|해$)|아까|방금|(?:처음|전|지난번)에\s?(?:내가|제가|말|얘기|뭐)|말했(?:지|나|잖|더라)|\b(?:did i (?:say|tell|mention)|have i (?:said|told|mentioned)|i (?:said|told you|mentioned)|do you (?:remember|recall)|remind me)\b/iu;
const asksSomething = /[?？]\s*$|뭐|무엇|언제|어디|얼마|누구|몇|며칠|(?:나요|까|니|지)[.~\s]*$|^\s*(?:what|who|when|where|which|how)\b/iu;
const own =
  /(?:^|\s)(?:나|내|제|나의|저의|내가|제가|나는|난|저는|우리|저희)\s|^\s*(?:so |and )?(?:what|what['’]?s|when|where|who|who['’]?s|which|how old|how many|how much)\b.{0,60}\b(?:my|our)\b|\b(?:what|who|where|when|how old) (?:do|am|did) (?:i|we)\b(?! (?:have to|need|get|pay|owe|apply|ask|turn|go)\b)/iu;

/** True if the message asks explicitly for something said before. */
export const asksBackInWords = (input: string): boolean => asksBack.test(start(input));
/** True if the message asks about something of the user's, and not for an action. */
export const asksWhatIsOwn = (input: string): boolean => own.test(start(input)) && asksSomething.test(start(input));

/** Only the first 500 characters count; a longer message asks for more than a memory. */
const start = (input: string): string => input.slice(0, 500);

/** Kinds of facts, and the questions about them. A name is the user's only if `내` stands directly before `이름`. */
const kinds: readonly (readonly [kind: RegExp, question: RegExp])[] = [
  [
    /^name$/,
    /(?:내|제|나의|저의)\s?(?:이름|성함)|\bmy (?:(?:full|first|last) )?name\b|\b(?:am i called|who am i)\b|(?:내가|나는|난|제가|저는)\s누구/iu,
  ],
  [/^call$/, /(?:나를|날|저를)\s(?:뭐|어떻게)\S*\s?(?:부르|불러)|\bcall me\b/iu],
  [/^age$/, /(?:내|제|나의|저의)\s?나이|몇\s?살|\bhow old am i\b|\bmy age\b/iu],
  [
    /^home$/,
    /(?:내|나|제|저)\S*\s.{0,40}(?:어디|어느).{0,40}(?:사|산|살)|\bwhere (?:do|did) i .{0,40}\blive\b|\bwhere (?:do|am) i (?:live|living)/iu,
  ],
  [/^work$/, /(?:어디|어느).{0,40}(?:일하|일한|다니|다닌|근무)|\bwhere (?:do|did) i .{0,40}\bwork\b/iu],
  [/^origin$/, /\bwhere am i from\b|\bwhere (?:do|did) i .{0,40}\bcome from\b/iu],
  [/^like:/, /좋아|싫어|선호|취향|즐겨|\b(?:i|we) .{0,40}\b(?:like|love|prefer|hate|enjoy|dislike)\b/iu],
  [/^allergy:/, /알레르기|알러지|allerg/iu],
];

const asking =
  /뭐라고|[가-힣]*(?:이라고|라고|다고|자고|냐고)(?=\s|했|말|$)|(?:말)?했(?:지|더라|어|나|니|어요|나요|습니까)|말한|말했던|아까|방금|전에|처음에|지난번에?|기억[가-힣]*|[내제]가|나는|저는|(?:^|\s)(?:나|내|제|난|저의|나의|우리|저희)(?=\s)|뭘|뭔데|뭐(?:였|이었|더라|지|죠)\S*|누구\S*|얼마\S*|언제\S*|어디\S*|무슨\s?요일|몇\s?(?:명|개|살|시|월|일|번|원|년|층|호)?\S*|며칠\S*|\b(?:remember|remind|recall|said|say|tell|told|mention(?:ed)?|again|many|much|old|i|me|my|our|we)\b/giu;

/** Returns the user's own statements that answer a question about them; empty if there are none. */
export function recall(message: string, window: WindowState): readonly string[] {
  const input = start(message);
  const facts = factsOf(window);
  for (const [kind, question] of kinds) {
    if (!question.test(input)) continue;
    const found = facts.filter(({ key }) => kind.test(key)).map(({ text }) => text);
    if (found.length > 0) return found;
    if (kind.source === '^name$') return introduced(facts);
  }
  const words = wordsOf(input);
  if (words.length === 0) return asksBack.test(input) && !/처음|first/iu.test(input) ? lastMessage(window) : [];
  const best =
    bestOf(
      words,
      facts.filter(({ key }) => key !== 'name').map(({ text }) => text),
    ) ?? bestOf(words, asksBack.test(input) ? spoken(window) : []);
  return best === undefined ? [] : [best];
}

/** Returns a statement such as `난 민지야`, which introduces a user by one word, if there is a single one. */
const introduced = (facts: readonly StatedFact[]): readonly string[] => {
  const found = facts.filter(({ key }) => /^self:[가-힣]{2,4}$/u.test(key) && !/(?:인|생|사|자|원|님|장|공|광|파|씨)$/u.test(key));
  return found.length === 1 ? found.map(({ text }) => text) : [];
};

/** Returns the words of a question's subject, without particles and punctuation at their ends. */
const wordsOf = (text: string): readonly string[] =>
  contentWords(text.replaceAll(asking, ' '))
    .split(' ')
    .map((word) =>
      word.replace(/(?:이야|예요|이에요|입니까|인가요|야|이|가|은|는|을|를|도)$/u, (ending) =>
        word.length - ending.length >= 2 ? '' : ending,
      ),
    )
    .filter((word) => /[\p{L}\p{N}]{2,}|^[가-힣]$/u.test(word));

/** Returns all facts, each with its newest value. */
function factsOf({ facts, messages }: WindowState): readonly StatedFact[] {
  const byKey = new Map<string, StatedFact>();
  for (const fact of [...facts, ...extractFacts(messages)]) {
    byKey.delete(fact.key);
    byKey.set(fact.key, fact);
  }
  return [...byKey.values()];
}

/** Returns the user's statements, oldest first: quotations in summaries, then recent messages. Questions are left out. */
const spoken = ({ summaries, messages }: WindowState): readonly string[] =>
  [
    ...summaries.flatMap(({ text }) => text.split('\n').flatMap((line) => /^(?:사용자|User)\s*:\s*(.+)$/u.exec(line)?.[1] ?? [])),
    ...messages.flatMap(({ message }) => (message.role === 'user' ? [message.content.trim()] : [])),
  ].filter((text) => text !== '' && text.length <= 300 && !/[?？]\s*$/u.test(text));

const lastMessage = ({ messages }: WindowState): readonly string[] =>
  messages.flatMap(({ message }) => (message.role === 'user' ? [message.content.trim()] : [])).slice(-1);

const verb = /(?:하|되|한|된|할|될|해|돼|했|됐|는|던|[았었])(?:다|지|나|니|냐|어|요|는|기로)*$|^(?:start|begin|happen|end)\w*$/iu;

/**
 * Returns the best text for a question. It has the last noun of the question, and either all its nouns or no other subject. Later texts win
 * ties.
 */
function bestOf(words: readonly string[], texts: readonly string[]): string | undefined {
  const nouns = words.filter((word) => !verb.test(word));
  const head = nouns.at(-1);
  if (head === undefined) return undefined;
  let best: { readonly text: string; readonly score: number } | undefined;
  for (const text of texts) {
    const tokens = new Set(searchTokens(text));
    const score = nouns.filter((word) => holds(tokens, word)).length;
    if (!holds(tokens, head) || (score < nouns.length && !isWithin(subjectOf(text), words))) continue;
    if (score >= (best?.score ?? 0)) best = { text, score };
  }
  return best?.text;
}

function holds(tokens: ReadonlySet<string>, word: string): boolean {
  const wanted = searchTokens(word);
  return wanted.filter((token) => tokens.has(token)).length * 2 > wanted.length || wanted.every((token) => tokens.has(token));
}

/** Returns the subject of a statement: `제품 마감일은 …`, `my dog's name is …`. */
const subjectOf = (text: string): readonly string[] =>
  wordsOf(/^(.{1,40}?)(?:[은는이가]\s|\s?[:=]\s|\s(?:is|are|was|will be)\s)/iu.exec(text)?.[1] ?? text);

const isWithin = (subject: readonly string[], words: readonly string[]): boolean => {
  const asked = new Set(searchTokens(words.join(' ')));
  return subject.every((word) => holds(asked, word));
};
