// Months and attestations of an issuer with a certificate, from the configuration to the files that
// were issued.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadIssuedReport } from '../../src/io/storage/issued/reports.ts';
import { type Ended, pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { areInstalled } from '../support/installed.ts';
import { openCertificateFolder, PASSPHRASE } from '../support/issuer-certificate.ts';

const NOON = Date.UTC(2026, 10, 15, 12);
const MERCHANT = 'EPICERIE_EXEMPLE';

const certificates = openCertificateFolder();
const sound = certificates.make('sound').file;
let opened: TestStore;
let folder: string;
beforeAll(async () => {
  opened = await openTestStore();
  folder = mkdtempSync(join(tmpdir(), 'pointage-sealed-'));
  cpSync(join(import.meta.dirname, '../../docs/example-books'), join(folder, 'books'), {
    recursive: true,
  });
  await said('run', '--source', `file:${join(folder, 'books')}`);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  certificates.remove();
  await opened.close();
});

const said = (...words: string[]): Promise<Ended> =>
  pointage([...words, '--database-url', opened.databaseUrl], {
    clock: () => NOON,
    environment: { SEAL_PASSPHRASE: PASSPHRASE, WRONG: 'wrong' },
  });

function configured(certificate: string, passphrase = 'env:SEAL_PASSPHRASE'): string {
  const file = join(folder, 'pointage.json');
  const issuer = { legalName: 'Monnaie Exemple', seal: { certificate, passphrase } };
  const source = `file:${join(folder, 'books')}`;
  writeFileSync(file, JSON.stringify({ source, issuers: [issuer] }));
  return file;
}

const pdfIn = (out: string): string =>
  join(out, readdirSync(out).find((name) => name.endsWith('.pdf'))!);

function expectSealed(file: string): void {
  const text = readFileSync(file, 'latin1');
  expect(text).toMatch(/\/SubFilter\/ETSI\.CAdES\.detached/);
  if (!areInstalled('pdfsig')) return;
  const { stdout } = spawnSync('pdfsig', ['-nocert', file], { encoding: 'utf8' });
  expect(stdout).toMatch(/Signature is Valid/);
}

test('a month is issued sealed, its hash is of the sealed file, and it is issued once', async () => {
  const words = ['statement', 'issue', MERCHANT, '2026-10', '--config', configured(sound)];
  expect((await said(...words)).out).toContain('revision 1: READY');
  expect((await said(...words)).out).toContain('unchanged');
  const out = join(folder, 'copied');
  const { status } = await said('statement', 'make', MERCHANT, '2026-10', '--out', out);
  expect(status).toBe(0);
  expectSealed(pdfIn(out));
  const report = await loadIssuedReport(opened.store, { merchant: MERCHANT, period: '2026-10' });
  const { sha256 } = report!.files.find(({ format }) => format === 'pdf')!;
  expect(
    createHash('sha256')
      .update(readFileSync(pdfIn(out)))
      .digest('hex'),
  ).toBe(sha256);
});

test('an attestation is sealed too', async () => {
  const out = join(folder, 'attested');
  const words = ['statement', 'attest', MERCHANT, '2026-10-15', '--out', out];
  const { status, err } = await said(...words, '--config', configured(sound));
  expect([status, err]).toEqual([0, expect.anything()]);
  expectSealed(pdfIn(out));
});

describe('a certificate that cannot seal is told when the configuration is loaded', () => {
  const expired = () => certificates.make('expired', { days: ['2025-01-01', '2025-12-31'] }).file;
  const future = () => certificates.make('future', { days: ['2098-01-01', '2099-01-01'] }).file;
  test.each([
    ['a missing file', () => '/nowhere/seal.p12', undefined, /cannot be read \(ENOENT\)/],
    ['a wrong passphrase', () => sound, 'env:WRONG', /does not open with this passphrase/],
    ['one that has ended', expired, undefined, /was valid until 2025-12-31T00:00:00/],
    ['one that has not begun', future, undefined, /is valid only from 2098-01-01T00:00:00/],
  ])('%s', async (_, file, passphrase, says) => {
    const words = ['statement', 'make', MERCHANT, '2026-10', '--out', join(folder, 'none')];
    const { status, err } = await said(...words, '--config', configured(file(), passphrase));
    expect([status, err]).toEqual([3, expect.stringMatching(says)]);
    expect(err).toMatch(/^[^\n]*issuers\.0\.seal: [^\n]*\n?$/);
    expect(err).not.toContain('wrong\n');
  });
});

test('doctor names the end of a certificate, and warns 30 days before it', async () => {
  const seals = async (file: string): Promise<string | undefined> =>
    (await said('doctor', '--config', configured(file))).out
      .split('\n')
      .find((line) => / seals: /.test(line));
  expect(await seals(sound)).toMatch(/^✓ seals: Cachet de Monnaie Exemple: valid until 2036-12-31/);
  const ending = certificates.make('ending', { days: ['2026-01-01', '2026-12-05'] }).file;
  expect(await seals(ending)).toMatch(/^! seals: .*renewed/);
});
