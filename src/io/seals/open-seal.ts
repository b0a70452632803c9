// Opens the certificate of an issuer, a PKCS#12 file with its key, and signs with it as PAdES
// baseline B asks (ETSI EN 319 142-1): a detached CMS whose signed attributes are the type of the
// content, its SHA-256 and the certificate. The time is left out of it, because the document states
// it. RSA gives the same bytes for the same document; ECDSA draws a number for each signature.

import { createHash, createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as asn1 from 'asn1js';
import {
  AlgorithmIdentifier,
  Attribute,
  type AuthenticatedSafe,
  CertBag,
  Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  PFX,
  PKCS8ShroudedKeyBag,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
} from 'pkijs';
import type { Seal } from './seal.ts';

export interface SealFile {
  /** The path of a PKCS#12 file. */
  readonly certificate: string;
  readonly passphrase: string;
}

/** A certificate that cannot seal; the message says why and what to do. */
export class SealInvalid extends Error {
  override readonly name = 'SealInvalid';
}

/** Throws `SealInvalid`. */
export async function openSeal({ certificate: file, passphrase }: SealFile): Promise<Seal> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new SealInvalid(
      `the file ${file} cannot be read (${cause.code}): give the path of a PKCS#12 file`,
    );
  });
  const { key, certificates } = await unpack(bytes, passphrase).catch((cause: Error) => {
    if (cause instanceof SealInvalid) throw new SealInvalid(`${file} ${cause.message}`);
    throw new SealInvalid(
      `${file} is no PKCS#12 file that can be read (${cause.message}): export key and certificate again, encrypted with AES, and give that passphrase`,
    );
  });
  const algorithm = SIGNATURES[key.asymmetricKeyType ?? ''];
  if (algorithm === undefined)
    throw new SealInvalid(`${file} has a key that is neither RSA nor ECDSA: give another`);
  const own = certificates.find((one) => one.checkPrivateKey(key));
  if (own === undefined)
    throw new SealInvalid(`${file} has no certificate for its key: export both together`);
  const chain = [own, ...certificates.filter((one) => one !== own)].map(({ raw }) => raw);
  return {
    name: /^CN=(.+)$/m.exec(own.subject)?.[1] ?? own.subject.replaceAll('\n', ', '),
    room: chain.reduce((sum, { length }) => sum + length, ROOM_BESIDE),
    validFrom: Date.parse(own.validFrom),
    validUntil: Date.parse(own.validTo),
    open: () => {
      const hash = createHash('sha256');
      return {
        add: (part) => hash.update(part),
        sign: () => signedData(hash.digest(), { key, algorithm, chain }),
      };
    },
  };
}

/** Bytes of a signature beside the certificates: names, attributes, and up to 8,192 bits of RSA. */
const ROOM_BESIDE = 3_072;

const SHA256 = '2.16.840.1.101.3.4.2.1';
const DATA = '1.2.840.113549.1.7.1';
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
/** RFC 5035. */
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';

/** The signature algorithm for each type of key: PKCS #1 v1.5 or ECDSA, both over SHA-256. */
const SIGNATURES: Readonly<Record<string, () => AlgorithmIdentifier>> = {
  rsa: () =>
    new AlgorithmIdentifier({
      algorithmId: '1.2.840.113549.1.1.11',
      algorithmParams: new asn1.Null(),
    }),
  ec: () => new AlgorithmIdentifier({ algorithmId: '1.2.840.10045.4.3.2' }),
};

interface Unpacked {
  readonly key: KeyObject;
  readonly certificates: readonly X509Certificate[];
}

/** Throws `SealInvalid` without the name of the file, or what the libraries throw. */
async function unpack(bytes: Uint8Array, passphrase: string): Promise<Unpacked> {
  const pfx = PFX.fromBER(bytes);
  const password = Uint8Array.from(Buffer.from(passphrase)).buffer;
  // pkijs checks the file by passphrases in ASCII alone; others are proved by what they decrypt.
  const checkIntegrity = /^[ -~]*$/.test(passphrase);
  await pfx.parseInternalValues({ password, checkIntegrity }).catch((cause: Error) => {
    if (!/integrity/i.test(cause.message)) throw cause;
    throw new SealInvalid('does not open with this passphrase: correct seal.passphrase');
  });
  const safe: AuthenticatedSafe = pfx.parsedValue!.authenticatedSafe!;
  await safe.parseInternalValues({ safeContents: safe.safeContents.map(() => ({ password })) });
  const parts: readonly { readonly value: { readonly safeBags: readonly Bag[] } }[] =
    safe.parsedValue.safeContents;
  const bags = parts.flatMap(({ value }) => value.safeBags).map(({ bagValue }) => bagValue);
  const keyBag = bags.find((bag) => bag instanceof PKCS8ShroudedKeyBag);
  if (keyBag === undefined)
    throw new SealInvalid('has no encrypted private key: export the certificate with its key');
  const key = createPrivateKey({
    key: Buffer.from(keyBag.toSchema().toBER()),
    format: 'der',
    type: 'pkcs8',
    passphrase,
  });
  const certificates = bags.flatMap((bag) =>
    bag instanceof CertBag && bag.parsedValue instanceof Certificate
      ? [new X509Certificate(Buffer.from(bag.parsedValue.toSchema().toBER()))]
      : [],
  );
  return { key, certificates };
}

interface Bag {
  readonly bagValue: unknown;
}

interface Signer {
  readonly key: KeyObject;
  readonly algorithm: () => AlgorithmIdentifier;
  /** Certificates in DER, the signer's own first. */
  readonly chain: readonly Uint8Array[];
}

/** Returns a detached signature over a content with that SHA-256. */
function signedData(digest: Uint8Array, { key, algorithm, chain }: Signer): Uint8Array {
  const certificates = chain.map((der) => Certificate.fromBER(der));
  const [own] = certificates as [Certificate];
  const sha256 = () => new AlgorithmIdentifier({ algorithmId: SHA256 });
  const signedAttrs = new SignedAndUnsignedAttributes({
    type: 0,
    attributes: inOrder<Attribute>([
      attribute(CONTENT_TYPE, new asn1.ObjectIdentifier({ value: DATA })),
      attribute(MESSAGE_DIGEST, octets(digest)),
      attribute(SIGNING_CERTIFICATE_V2, signingCertificate(own, chain[0]!)),
    ]),
  });
  // Signed as a set of its own, with the tag of one (RFC 5652, 5.4).
  const asSet = new asn1.Set({ value: signedAttrs.attributes.map((one) => one.toSchema()) });
  const signed = new SignedData({
    version: 1,
    digestAlgorithms: [sha256()],
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: DATA }),
    certificates: inOrder(certificates),
    signerInfos: [
      new SignerInfo({
        version: 1,
        sid: new IssuerAndSerialNumber({ issuer: own.issuer, serialNumber: own.serialNumber }),
        digestAlgorithm: sha256(),
        signedAttrs,
        signatureAlgorithm: algorithm(),
        signature: octets(sign('sha256', Buffer.from(asSet.toBER()), key)),
      }),
    ],
  });
  const content = new ContentInfo({ contentType: SIGNED_DATA, content: signed.toSchema(true) });
  return new Uint8Array(content.toSchema().toBER());
}

function attribute(type: string, value: asn1.BaseBlock): Attribute {
  return new Attribute({ type, values: [value] });
}

/** DER sorts the members of a set by their bytes. */
function inOrder<Member extends { toSchema(): asn1.BaseBlock }>(
  members: readonly Member[],
): Member[] {
  const bytesOf = (one: Member): Buffer => Buffer.from(one.toSchema().toBER());
  return members.toSorted((one, other) => Buffer.compare(bytesOf(one), bytesOf(other)));
}

/** The value of signing-certificate-v2: the certificate's SHA-256, its issuer and its number. */
function signingCertificate(own: Certificate, der: Uint8Array): asn1.Sequence {
  const issuer = new asn1.Constructed({
    idBlock: { tagClass: 3, tagNumber: 4 },
    value: [own.issuer.toSchema()],
  });
  const issuerSerial = new asn1.Sequence({
    value: [new asn1.Sequence({ value: [issuer] }), own.serialNumber],
  });
  const hash = createHash('sha256').update(der).digest();
  const id = new asn1.Sequence({ value: [octets(hash), issuerSerial] });
  return new asn1.Sequence({ value: [new asn1.Sequence({ value: [id] })] });
}

function octets(bytes: Uint8Array): asn1.OctetString {
  return new asn1.OctetString({ valueHex: Uint8Array.from(bytes).buffer });
}
