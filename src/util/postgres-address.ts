/** Whether a text is the address of a PostgreSQL database, rather than the name of a file. */
export const isPostgresAddress = (text: unknown): text is string => typeof text === 'string' && /^postgres(?:ql)?:\/\//i.test(text);

/** Parts of an address that say nothing of anybody's secrets. */
const openParameters = new Set(['sslmode', 'application_name', 'host', 'port', 'user', 'dbname']);

/**
 * An address without its password, and without any parameter that may be one: to be shown, and to be typed again where the password comes
 * from elsewhere (`PGPASSWORD`, a password file).
 *
 * @returns `undefined` for what is no address.
 */
export function postgresAddressName(address: unknown): string | undefined {
  if (!isPostgresAddress(address)) return undefined;
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return undefined;
  }
  url.password = '';
  for (const name of [...url.searchParams.keys()]) if (!openParameters.has(name)) url.searchParams.delete(name);
  url.hash = '';
  return url.href;
}
