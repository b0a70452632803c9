// A statement that is sealed with the issuer's certificate, as poppler and openssl see it.

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readerOf } from '../../src/io/formats/register.ts';
import { openSeal, SealInvalid } from '../../src/io/seals/open-seal.ts';
import { areInstalled } from '../support/installed.ts';
import { openCertificateFolder, PASSPHRASE } from '../support/issuer-certificate.ts';
import { archiveProblems } from '../support/pdf-archive.ts';
import { hasPreflight, openPdfFolder, preflight, qpdfCheck } from '../support/pdf-tools.ts';
import { sampleDocument } from '../support/sample-statement.ts';

const folder = openPdfFolder();
const certificates = openCertificateFolder();
afterAll(() => {
  folder.remove();
  certificates.remove();
});

const rsa = certificates.make('rsa');
const ecdsa = certificates.make('ecdsa', { kind: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] });

async function sealed({ file } = rsa): Promise<string> {
  const seal = await openSeal({ certificate: file, passphrase: PASSPHRASE });
  return folder.write(sampleDocument({ lines: 60 }), { sealFor: async () => seal });
}

interface Parts {
  readonly covered: Buffer;
  readonly signature: Buffer;
}

/** Returns the bytes that the signature covers, which are all but its own, and the signature. */
function partsOf(file: string): Parts {
  const bytes = readFileSync(file);
  const [, gap, after, rest] = /\/ByteRange\[0 +(\d+) +(\d+) +(\d+)\]/
    .exec(bytes.toString('latin1'))!
    .map(Number);
  expect(after! + rest!).toBe(bytes.length);
  expect(bytes.subarray(gap!, gap! + 1).toString() + bytes.subarray(after! - 1, after!)).toBe('<>');
  const hex = bytes.subarray(gap! + 1, after! - 1).toString('latin1');
  const covered = Buffer.concat([bytes.subarray(0, gap), bytes.subarray(after!)]);
  return { covered, signature: Buffer.from(hex, 'hex') };
}

/** Returns what openssl says of the signature, with the certificate as its own authority. */
function verified({ covered, signature }: Parts, pem: string): string {
  const [content, cms] = ['content', 'cms'].map((name) => join(certificates.folder, name));
  writeFileSync(content!, covered);
  writeFileSync(cms!, signature);
  const given = ['-inform', 'DER', '-in', cms!, '-content', content!, '-CAfile', pem];
  const words = ['cms', '-verify', '-cades', '-binary', '-purpose', 'any', '-out', '/dev/null'];
  return spawnSync('openssl', [...words, ...given], { encoding: 'utf8' }).stderr;
}

describe('a sealed statement', () => {
  test.each([
    ['RSA', rsa],
    ['ECDSA', ecdsa],
  ])('is signed as CAdES by a certificate with a key of %s, over every byte', async (_, made) => {
    const parts = partsOf(await sealed(made));
    expect(verified(parts, made.pem)).toMatch(/Verification successful/);
    const covered = Buffer.from(parts.covered);
    covered[2_000]! ^= 1;
    expect(verified({ ...parts, covered }, made.pem)).toMatch(/Verification failure/);
  });

  test('has the signed attributes of PAdES baseline B, and the time beside them', async () => {
    const file = await sealed();
    const cms = join(certificates.folder, 'printed');
    writeFileSync(cms, partsOf(file).signature);
    const words = ['cms', '-cmsout', '-print', '-noout', '-inform', 'DER', '-in', cms];
    const text = execFileSync('openssl', words, { encoding: 'utf8' });
    const attributes = text.slice(text.indexOf('signedAttrs'), text.indexOf('signatureAlgorithm'));
    const names = [...attributes.matchAll(/object: (\S+)/g)].map(([, name]) => name);
    expect(names.filter((name) => name !== 'pkcs7-data').sort()).toEqual([
      'contentType',
      'id-smime-aa-signingCertificateV2',
      'messageDigest',
    ]);
    const { generatedAt } = sampleDocument({ lines: 60 }).statement;
    const stated = new Date(generatedAt).toISOString().replaceAll(/[-:T]|\..*/g, '');
    expect(readFileSync(file, 'latin1')).toContain(`/M(D:${stated}Z)`);
  });

  test.skipIf(!areInstalled('pdfsig'))(
    'is what pdfsig of poppler calls valid (needs pdfsig)',
    async () => {
      const file = await sealed();
      const said = (of: string) =>
        spawnSync('pdfsig', ['-nocert', of], { encoding: 'utf8' }).stdout;
      expect(said(file)).toMatch(/Signature Validation: Signature is Valid/);
      expect(said(file)).toMatch(/ETSI\.CAdES\.detached/);
      expect(said(file)).toMatch(/Total document signed/);
      expect(said(file)).toMatch(/Cachet de Monnaie Exemple/);
      const bytes = readFileSync(file);
      bytes[2_000]! ^= 1;
      const changed = file.replace('.pdf', '-changed.pdf');
      writeFileSync(changed, bytes);
      expect(said(changed)).toMatch(/Digest Mismatch/);
    },
  );

  test('has the certificates of its authorities too, where the file has them', async () => {
    const authority = certificates.make('authority');
    const made = certificates.make('issued', { by: 'authority' });
    const parts = partsOf(await sealed(made));
    expect(verified(parts, authority.pem)).toMatch(/Verification successful/);
    expect(verified(parts, rsa.pem)).toMatch(/Verification failure/);
  });

  test('is not made of a time at which its certificate is not valid', async () => {
    const made = certificates.make('later', { days: ['2026-11-20', '2036-12-31'] });
    await expect(sealed(made)).rejects.toThrow(
      /is of 2026-11-02T03:00:00.* valid from 2026-11-20T00:00:00/,
    );
  });

  test('has the same bytes each time, where the key is RSA', async () => {
    const [one, other] = [await sealed(), await sealed()].map((file) => readFileSync(file));
    expect(one!.equals(other!)).toBe(true);
  });

  test('says what the statement says, and is sound', async () => {
    const file = await sealed();
    const { statement } = sampleDocument({ lines: 60 });
    const bytes = readFileSync(file);
    const stream = (async function* () {
      yield bytes;
    })();
    expect(await readerOf({ name: 'pdf' })(stream, { statement, language: 'fr' })).toEqual([]);
    expect(qpdfCheck(file)).toMatch(/No syntax or stream encoding errors found/);
  });

  test.skipIf(!areInstalled('qpdf'))(
    'is PDF/A-2a where it is so without its seal (needs qpdf)',
    async () => {
      const plain = archiveProblems(await folder.write(sampleDocument({ lines: 60 })));
      expect(archiveProblems(await sealed(), { isSealed: true })).toEqual(plain);
    },
  );

  test.skipIf(!hasPreflight())(
    'stays PDF/A for Apache PDFBox (needs java and preflight)',
    async () => {
      expect(preflight([await sealed()])).toEqual(['valid']);
    },
  );
});

test('a passphrase may have other letters than ASCII', async () => {
  const passphrase = 'clé du sceau № 7';
  const { file: certificate } = certificates.make('lettered', { passphrase });
  expect(await openSeal({ certificate, passphrase })).toMatchObject({
    name: 'Cachet de Monnaie Exemple',
  });
  const wrong = openSeal({ certificate, passphrase: 'clé du sceau № 8' });
  await expect(wrong).rejects.toThrow(/is no PKCS#12 file that can be read.*passphrase/);
});

describe('a certificate that cannot seal is refused with a sentence', () => {
  test.each([
    ['a wrong passphrase', rsa.file, 'wrong', /does not open with this passphrase/],
    ['a missing file', '/nowhere/seal.p12', PASSPHRASE, /cannot be read \(ENOENT\)/],
    ['another kind of file', rsa.pem, PASSPHRASE, /is no PKCS#12 file that can be read/],
  ])('%s', async (_, certificate, passphrase, says) => {
    const opened = openSeal({ certificate, passphrase });
    await expect(opened).rejects.toThrow(SealInvalid);
    await expect(opened).rejects.toThrow(says);
  });

  test('a key that is neither RSA nor ECDSA', async () => {
    const { file } = certificates.make('ed25519', { kind: ['ed25519'] });
    const opened = openSeal({ certificate: file, passphrase: PASSPHRASE });
    await expect(opened).rejects.toThrow(/neither RSA nor ECDSA/);
  });
});
