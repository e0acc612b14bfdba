/** Where a link leads, and what is shown beside its text. */
export interface SafeLink {
  readonly href: string;
  /** The host, in letters that cannot be taken for others (`xn--…`); of mail the address. */
  readonly shown: string;
}

/** A link that may be followed: http, https or mail, without a user name that looks like a host. Everything else is text. */
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
    return undefined; // a broken escape: no address
  }
}
