// The commands of docs/EVIDENCE.md that have a head of the evidence log timestamped, against an
// authority of OpenSSL's own behind HTTP.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appendLeaves, openLog, signLog } from '../../src/io/storage/evidence/log.ts';
import { pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { areInstalled } from '../support/installed.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pointage-timestamp-'));
const document = readFileSync(join(import.meta.dirname, '../../docs/EVIDENCE.md'), 'utf8');
const [first, ...commands] = /^```timestamp\n([\s\S]*?)^```$/m
  .exec(document)![1]!
  .trimEnd()
  .split('\n');
const openssl = (...words: readonly string[]) =>
  execFileSync('openssl', words, { cwd: scratch, stdio: 'pipe' });

let opened: TestStore;
let server: Server;
let url: string;
/** What the authority answers in place of a right answer; `null`: it answers as asked. */
let replayed: Buffer | null = null;

beforeAll(async () => {
  opened = await openTestStore();
  const log = await openLog(opened.store, { key: null, origin: null }, 0);
  await appendLeaves(opened.store, log, {
    leaves: [{ subject: 'a', merchant: 'M001', text: 'a' }],
  });
  await signLog(opened.store, log, { lastSeen: null, at: 0 });
  const names = ['-subj', '/CN=Authority', '-nodes', '-newkey', 'rsa:2048'];
  openssl('req', '-x509', ...names, '-keyout', 'ca.key', '-out', 'authority.pem');
  openssl('req', ...names, '-keyout', 'tsa.key', '-out', 'tsa.csr', '-subj', '/CN=Timestamps');
  writeFileSync(join(scratch, 'extensions'), 'extendedKeyUsage=critical,timeStamping\n');
  openssl(
    'x509',
    '-req',
    '-in',
    'tsa.csr',
    '-CA',
    'authority.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-extfile',
    'extensions',
    '-out',
    'tsa.pem',
  );
  const settings =
    'serial=serial\nsigner_cert=tsa.pem\nsigner_key=tsa.key\nsigner_digest=sha256\ndefault_policy=1.2.3.4\ndigests=sha256\n';
  writeFileSync(join(scratch, 'tsa.conf'), `[tsa]\ndefault_tsa=own\n[own]\n${settings}`);
  server = createServer(async (request, answer) => {
    const query = await buffer(request);
    writeFileSync(join(scratch, 'asked'), query);
    answer.end(replayed ?? openssl('ts', '-reply', '-config', 'tsa.conf', '-queryfile', 'asked'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}, 60_000);
afterAll(async () => {
  server.close();
  await opened.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** Runs a command without blocking this process, which serves the authority. */
function run(command: string): Promise<number | null> {
  const shell = spawn('bash', ['-c', command], {
    cwd: scratch,
    env: { ...process.env, TSA: url },
    stdio: 'ignore',
  });
  return new Promise((resolve) => shell.on('close', resolve));
}

describe.skipIf(!areInstalled('openssl', 'curl'))('a head of the log', () => {
  test('is timestamped by the commands of the document, and another head or an answer to another question is refused', async () => {
    expect(first).toBe('npx pointage evidence checkpoint > checkpoint.txt');
    const file = join(scratch, 'settings.json');
    writeFileSync(file, JSON.stringify({ databaseUrl: opened.databaseUrl }));
    const { status, out } = await pointage(['evidence', 'checkpoint', '--config', file]);
    expect([status, out.split('\n')[0]]).toEqual([0, 'old 0']);
    const head = join(scratch, 'checkpoint.txt');
    writeFileSync(head, out);
    expect(commands).toHaveLength(4);
    for (const command of commands) expect(await run(command), command).toBe(0);
    writeFileSync(head, out.replace('old 0', 'old 1'));
    expect(await run(commands[3]!)).not.toBe(0);
    writeFileSync(head, out);
    expect(await run(commands[3]!)).toBe(0);
    replayed = readFileSync(join(scratch, 'checkpoint.tsr'));
    for (const command of commands.slice(0, 2)) expect(await run(command), command).toBe(0);
    expect(await run(commands[2]!)).not.toBe(0);
  }, 60_000);
});
