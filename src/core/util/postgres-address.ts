/** True for the address of a PostgreSQL database, as opposed to a file name. */
export const isPostgresAddress = (text: unknown): text is string => typeof text === 'string' && /^postgres(?:ql)?:\/\//i.test(text);

/** Address parameters that are never secret. */
const openParameters = new Set(['sslmode', 'application_name', 'host', 'port', 'user', 'dbname']);

/**
 * Address without its password and without parameters that may be secret, for display and for use with `PGPASSWORD` or a password file.
 *
 * @returns `undefined` if the text is not an address.
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
