// An attestation of a balance, for an auditor: a statement of a month up to the end of a day, as
// one page and as JSON. Computes nothing. A page whose text does not say what the statement says is
// not given out.

import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import { LABELS } from '../../../core/words/tree.ts';
import type { WrittenFormat } from '../port/format.ts';
import { describeDifferences } from '../read-back/read-back.ts';
import { readAttestation } from '../read-back/wanted-figures.ts';
import { sumInWords } from '../sentences/amount-in-words.ts';
import { ATTESTATION_HEAD, verdictLine } from '../text/json.ts';
import { writeAttestationPages } from './attestation-pages.ts';

const json: WrittenFormat = {
  name: 'json',
  extension: 'json',
  write: ({ statement }, _, out) => pipeline(piecesOf(statement), out),
};

const pdf: WrittenFormat = {
  name: 'pdf',
  extension: 'pdf',
  write: async (document, options, out) => {
    const sink = new PassThrough();
    const [bytes] = await Promise.all([
      buffer(sink),
      writeAttestationPages(document, options, sink),
    ]);
    const { statement } = document;
    const differences = await readAttestation(Readable.from([bytes]), {
      statement,
      language: options.language,
    });
    if (differences.length > 0) throw new Error(describeDifferences('attestation', differences));
    await pipeline(Readable.from([bytes]), out);
  },
};

/** JSON comes first, because a revision is recognised by it. */
export const ATTESTATION_FORMATS: readonly WrittenFormat[] = [json, pdf];

/** Keys of a statement that are about its end, in the order of its JSON form. */
const ATTESTED = [
  'merchant',
  'issuer',
  'walletId',
  'currency',
  'period',
  'revision',
  'engine',
  'generatedAt',
  'phoneNumbers',
  'integrity',
  'summary',
  'paymentsByLink',
  'due',
  'reconciliation',
  'openHolds',
  'openOperations',
  'circumstances',
] as const satisfies readonly (keyof Statement)[];

async function* piecesOf(statement: Statement): AsyncGenerator<string> {
  const attested = Object.fromEntries(ATTESTED.map((key) => [key, statement[key]]));
  yield `${ATTESTATION_HEAD}\n"attestation":${JSON.stringify(attested)},\n${verdictLine(statement)}\n`;
  yield `"inWords":${JSON.stringify({ fr: inWords(statement, 'fr'), en: inWords(statement, 'en') })}\n}\n`;
}

function inWords({ summary, currency }: Statement, language: Language) {
  const { recorded, due } = summary;
  const words = (amount: number): string =>
    sumInWords(amount, currency, { labels: LABELS[language], language });
  return { recorded: words(recorded.balance), due: due === null ? null : words(due.balance) };
}
