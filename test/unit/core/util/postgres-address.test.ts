import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPostgresAddress, postgresAddressName } from '../../../../src/core/util/postgres-address.ts';

const secret = fc.stringMatching(/^[A-Za-z0-9]{8,20}$/).map((text) => `S${text}S`);

describe('postgresAddressName', () => {
  it.each([
    ['postgres://ada@host/db', 'postgres://ada@host/db'],
    ['postgresql://ada:pw@host:5433/db', 'postgresql://ada@host:5433/db'],
    ['postgres://ada:pw@host/db?sslmode=require&password=pw&sslkey=k&options=-c%20a', 'postgres://ada@host/db?sslmode=require'],
    ['POSTGRES://ada:p%40w@host/db#pw', 'postgres://ada@host/db'],
    ['postgres:///db', 'postgres:///db'],
  ])('shows %s as %s', (address, name) => expect(postgresAddressName(address)).toBe(name));

  it.each(['agents.db', './postgres', 'mysql://host/db', '', 'postgres:/host', 'postgres://host:99999999/db', 7, undefined, null])(
    'returns undefined for %s',
    (text) => expect(postgresAddressName(text)).toBeUndefined(),
  );

  it('hides a password wherever it occurs', () => {
    const places = ['password', 'sslpassword', 'sslkey', 'sslcert', 'passfile', 'PASSWORD', 'options', 'x'];
    fc.assert(
      fc.property(secret, fc.subarray(places), fc.boolean(), (password, names, inUser) => {
        const parameters = names.map((name) => `${name}=${password}`).join('&');
        const address = `postgres://ada${inUser ? `:${password}` : ''}@host/db?${parameters}#${password}`;
        expect(isPostgresAddress(address)).toBe(true);
        expect(postgresAddressName(address)).not.toContain(password);
      }),
    );
  });
});
