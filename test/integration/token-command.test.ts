// `pointage token`: the token that it prints opens the Report API of the same configuration for
// that merchant and no other, as long as it says. Where pointage cannot make one, it says who can.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { HOUR } from '../../src/core/domain/instant.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { openTokens } from '../../src/service/http/port/tokens.ts';
import { pointage } from '../support/command.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pointage-token-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 9, 31);
const SECRET = 'a-secret-of-at-least-thirty-two-bytes';

function configured(server: object): string {
  const file = join(scratch, 'settings.json');
  writeFileSync(file, JSON.stringify({ server, merchants: { M001: {} } }));
  return file;
}

test.each([
  {},
  {
    issuer: 'https://dashboard.example',
    audience: 'reports',
    merchantClaim: 'ref',
    algorithms: ['HS512'],
  },
])(
  'opens the reports of the merchant that it names, until its hours are over: %o',
  async (claims) => {
    const config = configured({ tokens: { secret: SECRET, ...claims } });
    const { status, out } = await pointage(['token', 'M001', '--hours', '2', '--config', config], {
      clock: () => NOW,
    });
    expect(status).toBe(0);
    const settings = (await loadConfiguration({ config }, {})).server.tokens!;
    const verifyAt = (now: number, keys: object = {}) =>
      openTokens({ ...settings, ...keys }, () => now)(out.trim());
    await expect(verifyAt(NOW + 2 * HOUR - 1)).resolves.toBe('M001');
    await expect(verifyAt(NOW + 3 * HOUR)).rejects.toMatchObject({ status: 401 });
    await expect(verifyAt(NOW, { secret: SECRET.toUpperCase() })).rejects.toMatchObject({
      status: 401,
    });
  },
);

test('says who can make one, where pointage cannot', async () => {
  const keys = { tokens: { jwksUrl: 'https://dashboard.example/keys' } };
  const operators = { operators: [{ name: 'controle', roles: ['reader'], token: 'x'.repeat(32) }] };
  for (const [server, says] of [
    [keys, /Only the signer can make a token here/],
    [operators, /give server\.tokens\.secret/],
  ] as const) {
    const { status, out, err } = await pointage(['token', 'M001', '--config', configured(server)]);
    expect([status, out]).toEqual([3, '']);
    expect(err).toMatch(says);
  }
});
