// Certificates of an issuer with their keys, made by openssl for tests.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface MadeCertificate {
  /** The PKCS#12 file, which `PASSPHRASE` opens. */
  readonly file: string;
  /** The certificate alone, as PEM. */
  readonly pem: string;
}

export const PASSPHRASE = 'a passphrase of the tests';

interface Wish {
  /** Words of `openssl req -newkey`. */
  readonly kind?: readonly string[];
  /** First and last day on which it is valid, `YYYY-MM-DD`. */
  readonly days?: readonly [from: string, until: string];
  /** The name of the certificate that signs it and goes into its file; absent: itself. */
  readonly by?: string;
  readonly passphrase?: string;
}

export interface CertificateFolder {
  readonly folder: string;
  make(name: string, wish?: Wish): MadeCertificate;
  remove(): void;
}

export function openCertificateFolder(): CertificateFolder {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-seal-'));
  writeFileSync(join(folder, 'index.txt'), '');
  writeFileSync(join(folder, 'ca.cnf'), AUTHORITY);
  const openssl = (...words: readonly string[]) =>
    execFileSync('openssl', words, { stdio: 'pipe', cwd: folder });
  return {
    folder,
    make: (
      name,
      {
        kind = ['rsa:2048'],
        days = ['2026-01-01', '2036-12-31'],
        by,
        passphrase = PASSPHRASE,
      } = {},
    ) => {
      const [key, asked, pem, file] = ['key', 'csr', 'pem', 'p12'].map((end) =>
        join(folder, `${name}.${end}`),
      );
      const cn = by === undefined ? 'Cachet de Monnaie Exemple' : `Cachet par ${by}`;
      const subject = `/C=CI/O=Monnaie Exemple CI SA/CN=${cn}`;
      const made = ['-nodes', '-keyout', key!, '-out', asked!, '-subj', subject];
      openssl('req', '-new', '-newkey', ...kind, ...made);
      const [from, until] = days.map((day) => `${day.replaceAll('-', '')}000000Z`);
      const dates = ['-startdate', from!, '-enddate', until!, '-create_serial', '-notext'];
      const signed = ['-config', 'ca.cnf', '-in', asked!, '-out', pem!, ...dates];
      const signer =
        by === undefined
          ? ['-selfsign', '-keyfile', key!]
          : ['-keyfile', `${by}.key`, '-cert', `${by}.pem`];
      openssl('ca', '-batch', ...signer, ...signed);
      const own = ['-inkey', key!, '-in', pem!, '-out', file!, '-passout', `pass:${passphrase}`];
      openssl('pkcs12', '-export', ...own, ...(by === undefined ? [] : ['-certfile', `${by}.pem`]));
      return { file: file!, pem: pem! };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** An authority that signs whatever it is given, in the folder in which openssl runs. */
const AUTHORITY = `
[ca]
default_ca = here
[here]
database = index.txt
new_certs_dir = .
serial = serial
default_md = default
unique_subject = no
policy = any
x509_extensions = own
[any]
countryName = optional
organizationName = optional
commonName = supplied
[own]
basicConstraints = CA:true
subjectKeyIdentifier = hash
`;
