const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Creates an id for this page: `t_7Q2M…`. */
export const newId = (prefix: string): string =>
  `${prefix}_${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => letters[byte % letters.length]).join('')}`;
