/** Target of a link, and the text shown next to it. */
export interface SafeLink {
  readonly href: string;
  /** The host in Punycode (`xn--…`), which prevents look-alike letters; for mail, the address. */
  readonly shown: string;
}

/** Returns a link that is safe to open: http, https or mail, without a user name that looks like a host. Anything else is shown as text. */
export function safeLink(href: string | undefined): SafeLink | undefined {
  if (href === undefined || !/^(?:https?:\/\/|mailto:)/i.test(href) || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (url.protocol === 'mailto:') {
    const address = decodeURIComponentSafely(url.pathname);
    return address !== undefined && /^[^\s@<>"',;]+@[^\s@<>"',;]+$/.test(address)
      ? { href: `mailto:${url.pathname}`, shown: address }
      : undefined;
  }
  if (url.username !== '' || url.password !== '' || url.host === '') return undefined;
  return { href: url.href, shown: url.host };
}

function decodeURIComponentSafely(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // an invalid escape, so not a valid address
  }
}
