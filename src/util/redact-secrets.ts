/** A shorter text stands in ordinary words: taken out of them, it would leave nonsense, and show itself by what is missing. */
const shortestAnywhere = 8;

const special = /[.*+?^${}()|[\]\\/-]/g;

/**
 * Takes secrets out of a text. One of fewer than 8 characters is taken out only where it stands alone as a value: as the whole text, after
 * `Bearer`, or as what a key, token, secret or password is said to be.
 *
 * @example redactSecrets('Wrong key: sk-12345678', ['sk-12345678']) // 'Wrong key: [key]'
 */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets.filter((secret) => secret.trim() !== '').sort((a, b) => b.length - a.length);
  return longestFirst.reduce((shown, secret) => {
    if (secret.length >= shortestAnywhere) return shown.replaceAll(secret, '[key]');
    return shown === secret ? '[key]' : shown.replaceAll(asValue(secret), '$<before>[key]');
  }, text);
}

function asValue(secret: string): RegExp {
  const named = '(?:key|token|secret|password|passwd|authorization)["\'`]?(?:\\s+(?:provided|given))?\\s*[:=]\\s*(?:bearer\\s+)?["\'`]?';
  return new RegExp(`(?<before>\\bbearer\\s+|${named})${secret.replaceAll(special, '\\$&')}(?![\\p{L}\\p{N}_])`, 'giu');
}
