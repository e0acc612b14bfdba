/** Shorter texts occur in ordinary words: removing them would garble the text and reveal the secret by the gap. */
const shortestAnywhere = 8;

const special = /[.*+?^${}()|[\]\\/-]/g;

/**
 * Removes secrets from a text: the given ones become `[key]`, and whatever looks like one becomes `[secret]`. Takes linear time.
 *
 * Patterns: the userinfo of URLs, `Bearer`, `Basic` and `Api-Key` credentials, values of names such as `password`, `apiKey` or
 * `access_token`, known key prefixes (`sk-`, `ghp_`, `AKIA`, …), webhook addresses, JSON Web Tokens, cookies and PEM private keys. A given
 * secret of fewer than 8 characters is removed only where it stands alone as a value.
 *
 * @example redactSecrets('Wrong key: abcd-1234 at https://me:pw@host', ['abcd-1234']) // 'Wrong key: [key] at https://[secret]@host'
 */
export function redactSecrets(text: string, secrets: readonly string[] = []): string {
  return redactPatterns(redactKnown(text, secrets));
}

/** Returns the same JSON value with secrets removed from all its strings, and from members whose name says that they are one. */
export function redactJson<T>(value: T, redact: (text: string) => string = redactSecrets): T {
  const json = JSON.stringify(value, (name, member: unknown) => {
    if (typeof member !== 'string') return member;
    return secretName.test(name) ? mark : redact(member);
  });
  return JSON.parse(json) as T;
}

/** Names of members whose values are always secrets. */
export const secretName: RegExp =
  /^(?:api[-_]?key|authorization|cookie|pass(?:word|wd)|secret|client[-_]?secret|(?:access|refresh|bearer|auth)[-_]?token)$/i;

/** Removes the given secrets alone. */
export function redactKnown(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets.filter((secret) => secret.trim() !== '').sort((a, b) => b.length - a.length);
  return longestFirst.reduce((shown, secret) => {
    if (secret.length >= shortestAnywhere) return shown.replaceAll(secret, '[key]');
    return shown === secret ? '[key]' : shown.replaceAll(asValue(secret), '$<before>[key]');
  }, text);
}

function asValue(secret: string): RegExp {
  const namedValue =
    '(?:key|token|secret|password|passwd|authorization)["\'`]?(?:\\s+(?:provided|given))?\\s*[:=]\\s*(?:bearer\\s+)?["\'`]?';
  return new RegExp(`(?<before>\\bbearer\\s+|${namedValue})${secret.replaceAll(special, '\\$&')}(?![\\p{L}\\p{N}_])`, 'giu');
}

const mark = '[secret]';

// Each pattern consumes its match or is bounded, so every text takes linear time.

const pemKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** A password may contain `@`, `/`, `?` and `#`. A port is no password. The last form is an address that was cut in its password. */
const userinfo =
  /(?<=:\/\/)(?:(?<user>[^\s/?#"'`<>]{1,500})@|[^\s/?#@:"'`<>]{0,300}:(?!\d{1,5}(?:[/?#\s]|$))(?:[^\s@"'`<>]{1,300}@|[^\s@/"'`<>…]{1,300}(?= ?…)))/g;

/** A short name without a password, such as the one of `ssh://git@host`, stays. */
const longestOpenUser = 15;

const keyShapes = [
  '[spr]k-[\\w*-]{8,}', // OpenAI, Anthropic, OpenRouter and others; they show one as `sk-ab***yz`
  '(?:[spr]k|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}',
  '(?:gh[oprsu]|gsk|hf|r8|npm|lsv2_[ps]t|dop_v1|shp[a-z]{2})_\\w{16,}',
  '(?:glpat|xai|tvly|pplx|nvapi|xapp|pypi)-[\\w-]{12,}',
  'github_pat_\\w{16,}',
  'xox[a-z]-[\\w-]{8,}',
  'key-[0-9a-f]{32}',
  'A(?:KIA|SIA)[A-Z0-9]{16}',
  'AIza[\\w-]{20,}',
  'ya29\\.[\\w-]{16,}',
  'dapi[0-9a-f]{32}',
  'hv[bs]\\.[\\w-]{16,}',
  'sq0[a-z]{3}-[\\w-]{16,}',
  'AGE-SECRET-KEY-1[A-Z0-9]{16,}',
  'SG\\.[\\w-]{16,}\\.[\\w-]{16,}',
  '(?<![\\w-])eyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*)?',
];
const keyShape = new RegExp(`(?<![A-Za-z0-9])(?:${keyShapes.join('|')})`, 'g');

const webhook =
  /(?<=hooks\.slack\.com\/[a-z]{1,20}\/)[\w/-]{16,}|(?<=discord(?:app)?\.com\/api\/webhooks\/\d{1,30}\/)[\w-]{16,}|(?<=api\.telegram\.org\/(?:file\/)?bot)\d{1,20}:[\w-]{16,}/g;

const parameter = /(?<=[?&](?:key|auth|subscription-key|sig|signature|x-amz-(?:signature|credential|security-token))=)[^\s&#"'<>]{6,}/gi;

const cookie = /(?<=\bcookie["']?[ \t]{0,5}[:=][ \t]{0,5})["']?[^\s=;"']{1,200}=[^\r\n"']*/gi;

const names =
  'api[-_ ]?key|access[-_]?key(?:[-_]?id)?|(?:secret|private|account|service|subscription)[-_]?key|secret|passw(?:or)?d|passphrase|pwd|token|authorization|credentials?|비밀번호|암호|패스워드';

/** `&`, `,` and `;` belong to a value, unless the next name follows. */
const value = {
  bare: '(?!\\\\?["\'`<{])(?:[^\\s"\'`&,;]|[&,;](?!\\s|$|["\'`]|[\\w. -]{0,40}[=:]))+',
  double: '"(?:[^"\\\\\\r\\n]|\\\\.)*',
  single: "'(?:[^'\\\\\\r\\n]|\\\\.)*",
  escaped: '\\\\"[^"\\\\\\r\\n]*',
};
const namedValue = new RegExp(
  `(?<name>${names})(?<member>\\\\?["'\`])?(?: (?:provided|given))?[ \\t]{0,5}(?<separator>[:=]>?)[ \\t]{0,5}(?<scheme>(?:bearer|basic|token|digest)[ \\t]{1,5})?` +
    `(?<value>${Object.values(value).join('|')})`,
  'gi',
);
const flag = new RegExp(
  `(?<=--(?:[a-z]{1,20}-){0,3}(?:api-key|key|token|secret|password)[ \\t]{1,5})(?:${value.bare}|${value.double})`,
  'gi',
);

const credential = /(?<=\b(?<scheme>bearer|basic|api[- ]?key)[ \t]{1,5})[\w.~+/=*-]{8,}/gi;

/** Words for a value, and what has been removed already. */
const placeholder =
  /^(?:\[(?:key|secret)\]|null|undefined|true|false|none|[*.…]+|\$\{?\w+\}?|(?:your[-_])?[\w-]*(?:token|key|secret|password)|)$/i;

type Groups = Readonly<Record<string, string | undefined>>;
const groupsOf = (match: readonly unknown[]): Groups => match.at(-1) as Groups;

function redactPatterns(text: string): string {
  return text
    .replace(pemKey, mark)
    .replace(userinfo, (...match) => {
      const { user } = groupsOf(match);
      return user !== undefined && user.length <= longestOpenUser && !user.includes(':') ? match[0] : `${mark}@`;
    })
    .replace(keyShape, mark)
    .replace(webhook, mark)
    .replace(parameter, mark)
    .replace(cookie, mark)
    .replace(flag, (found) => (placeholder.test(found) ? found : mark))
    .replace(namedValue, (...match) => redactNamed(match[0], groupsOf(match)))
    .replace(credential, (...match) => (isCredential(match[0], groupsOf(match).scheme) ? mark : match[0]));
}

function redactNamed(match: string, { name = '', member, separator, scheme, value: written = '' }: Groups): string {
  const open = /^\\?["']/.exec(written)?.[0] ?? '';
  const secret = written.slice(open.length);
  const core = separator === ':' && open === '' ? secret.replace(/[.,:;!?)\]}]{1,10}$/, '') : secret;
  if (placeholder.test(secret) || placeholder.test(core)) return match;
  const isCertain = separator !== ':' || member !== undefined || scheme !== undefined;
  const isHarmless = isCertain ? member !== undefined && open === '' && isNumber(core) : !looksSecret(core, name);
  return isHarmless ? match : `${match.slice(0, match.length - secret.length)}${mark}${secret.slice(core.length)}`;
}

const isNumber = (text: string): boolean => /^-?[\d.,]+[\]}]*$/.test(text);

/** In prose, as in "token: estimated", a word is no secret. */
const looksSecret = (text: string, name: string): boolean =>
  text.length >= 6 && /[\d!@#$%^&*+=~|]/.test(text) && !/\s/.test(text) && (/pass|pwd|비밀|암호|패스/i.test(name) || !isNumber(text));

/** "Basic authentication" and "bearer of news" are words. */
const isCredential = (text: string, scheme = ''): boolean =>
  /^bearer$/i.test(scheme) ? text.length >= 16 || /[\d*]/.test(text) : text.length >= 12 && /\d|=$|[a-z][A-Z]/.test(text);
