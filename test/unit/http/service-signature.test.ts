// The signature of notifications, compared with values made by another tool, and tried with
// whatever a header may hold.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readSignatureHeader,
  verifySignature,
} from '../../../src/service/http/routes/notifications.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { signatureOf } from '../../support/signed-notification.ts';

const SECRET = 'whsec_test_0123456789abcdef';
const BODY =
  '{"id":"evt_1","type":"ping","createdAt":"2026-11-02T00:00:00Z","merchantReference":"M001","data":{"é":"€"}}';
const T = 1_793_577_600;
/** The output of: printf '%s' "$T.$BODY" | openssl dgst -sha256 -hmac "$SECRET" */
const BY_OPENSSL = '55f3b39cab2962dd116b668d2da7e6b3c2db491e30488bbee3fe1698ee0f69be';

const verdict = (changes: Partial<Parameters<typeof verifySignature>[0]>) =>
  verifySignature({
    header: `t=${T},v1=${BY_OPENSSL}`,
    body: Buffer.from(BODY),
    secrets: { current: SECRET },
    now: T * 1_000,
    ...changes,
  });

describe('a signature', () => {
  test('made by openssl is good, written in either case and beside others', () => {
    const good = { ok: true, secret: 'current' };
    const other = '0'.repeat(64);
    for (const header of [
      `t=${T},v1=${BY_OPENSSL}`,
      `t=${T}, v1=${BY_OPENSSL.toUpperCase()}`,
      `v1=${other},v1=${BY_OPENSSL},t=${T}`,
      `t=${T},v0=${other},v1=${BY_OPENSSL},v2=x`,
      `t=${T},v1=short,v1=${BY_OPENSSL}`,
    ]) {
      expect(verdict({ header }), header).toEqual(good);
    }
  });

  test('is not good for any other byte, instant or secret', () => {
    const otherwise = { ok: false, fault: 'signed otherwise' };
    expect(verdict({ body: Buffer.from(`${BODY} `) })).toEqual(otherwise);
    expect(verdict({ body: Buffer.from(JSON.stringify(JSON.parse(BODY), null, 1)) })).toEqual(
      otherwise,
    );
    expect(verdict({ body: Buffer.from(BODY.replace('é', 'e\u0301')) })).toEqual(otherwise);
    expect(verdict({ header: `t=${T + 1},v1=${BY_OPENSSL}` })).toEqual(otherwise);
    expect(verdict({ header: `t=0${T},v1=${BY_OPENSSL}` })).toEqual(otherwise);
    expect(verdict({ secrets: { current: SECRET.slice('whsec_'.length) } })).toEqual(otherwise);
    expect(verdict({ secrets: { current: `${SECRET}x` } })).toEqual(otherwise);
  });

  test('holds for five minutes before and after, and not a millisecond longer', () => {
    const stale = { ok: false, fault: 'signed at another time' };
    for (const [distance, good] of [
      [300_000, true],
      [300_001, false],
      [-300_000, true],
      [-300_001, false],
    ] as const) {
      const said = verdict({ now: T * 1_000 + distance });
      if (good) expect(said.ok, String(distance)).toBe(true);
      else expect(said, String(distance)).toEqual(stale);
    }
  });

  test('of the former secret is good while that is configured, and says so', () => {
    expect(verdict({ secrets: { current: 'whsec_new', previous: SECRET } })).toEqual({
      ok: true,
      secret: 'previous',
    });
    expect(verdict({ secrets: { current: 'whsec_new' } }).ok).toBe(false);
    const both = signatureOf(BODY, T * 1_000, 'whsec_new', SECRET);
    expect(verdict({ header: both, secrets: { current: SECRET } })).toEqual({
      ok: true,
      secret: 'current',
    });
  });

  test.each([
    ['nothing', undefined, 'no signature'],
    ['empty', '', 'not a signature'],
    ['no t', `v1=${BY_OPENSSL}`, 'not a signature'],
    ['no v1', `t=${T}`, 'not a signature'],
    ['two t', `t=${T},t=${T},v1=${BY_OPENSSL}`, 'not a signature'],
    ['t with a fraction', `t=${T}.0,v1=${BY_OPENSSL}`, 'not a signature'],
    ['t below zero', `t=-${T},v1=${BY_OPENSSL}`, 'not a signature'],
    ['t in hexadecimal', `t=0x6AE7,v1=${BY_OPENSSL}`, 'not a signature'],
    ['t without end', `t=${'9'.repeat(400)},v1=${BY_OPENSSL}`, 'not a signature'],
    ['v1 cut', `t=${T},v1=${BY_OPENSSL.slice(1)}`, 'not a signature'],
    ['v1 longer', `t=${T},v1=${BY_OPENSSL}00`, 'not a signature'],
    [
      'v1 in base64',
      `t=${T},v1=${Buffer.from(BY_OPENSSL, 'hex').toString('base64')}`,
      'not a signature',
    ],
    ['very many', `t=${T}${`,v1=${BY_OPENSSL}`.repeat(50)}`, 'not a signature'],
    ['very long', `t=${T},v1=${BY_OPENSSL},x=${'y'.repeat(10_000)}`, 'not a signature'],
    ['another time in seconds', `t=${T - 301},v1=${BY_OPENSSL}`, 'signed at another time'],
  ])('is refused with %s', (_, header, fault) => {
    expect(verdict({ header })).toEqual({ ok: false, fault });
  });
});

test('a signature is compared in constant time, and in no other way', () => {
  const code = readFileSync(
    join(import.meta.dirname, '../../../src/service/http/routes/notifications.ts'),
    'utf8',
  );
  const compares = code
    .split('\n')
    .filter((line) => /\bdue\b/.test(line) && !line.includes('const due'));
  expect(compares.map((line) => line.trim())).toEqual([
    'return signatures.filter((signature) => timingSafeEqual(signature, due)).length > 0;',
  ]);
});

test('no header makes the reader fail, and what it takes for a signature is one', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('t=', 'v1=', ',', '=', ' ', `v1=${BY_OPENSSL}`, `t=${T}`),
  );
  const header = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  assertProperty(
    fc.property(header, (text) => {
      const read = readSignatureHeader(text);
      if (read === null) return;
      expect(read.seconds).toMatch(/^\d{1,12}$/);
      expect(read.signatures.every((signature) => signature.length === 32)).toBe(true);
      expect(text).toContain(`t=${read.seconds}`);
    }),
    { runs: 500 },
  );
});

test('whatever the bytes and the secret, only their own signature is good', () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  const secret = fc.string({ minLength: 1 });
  assertProperty(
    fc.property(bytes, secret, secret, (body, ours, theirs) => {
      const now = T * 1_000;
      const header = signatureOf(body, now, theirs);
      const { ok } = verifySignature({ header, body, secrets: { current: ours }, now });
      // A key shorter than a block of the hash is filled up with zeros, so that two such keys may
      // be the same.
      const same = (key: string): string =>
        Buffer.from(key)
          .toString('hex')
          .replace(/(?:00)+$/, '');
      expect(ok).toBe(same(ours) === same(theirs));
    }),
    { runs: 75 },
  );
});
