// A month with rows that were refused for every reason. Its French pages, its sheets and its mail
// hold no English sentence.

import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../src/core/domain/finding.ts';
import { composeMessage } from '../../src/io/deliveries/compose-message.ts';
import { planMerchant } from '../../src/sandbox/model/plan.ts';
import {
  DEFAULT_TEMPLATE_FOLDER,
  loadMailTemplates,
} from '../../src/service/templates/load-template.ts';
import { pointage } from '../support/command.ts';
import { englishIn } from '../support/english-words.ts';
import { areInstalled } from '../support/installed.ts';
import { pagesOf } from '../support/pdf-tools.ts';
import { badLines } from '../support/refused-rows.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { readCells } from '../support/sheet-cells.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pointage-refused-'));
const out = join(scratch, 'out');
const audit = join(scratch, 'audit.pdf');
const AS_OF = ['--as-of', '2026-11-06T00:00:00Z'];
let findings: readonly Finding[] = [];

beforeAll(async () => {
  const books = join(scratch, 'books');
  const plan = planMerchant({ reference: 'KORA', opensAt: Date.UTC(2026, 8, 28) });
  await writeBundle(books, simulateBooks(plan, { seed: 'refused', until: Date.UTC(2026, 10, 6) }));
  for (const line of badLines(1_000_000)) {
    appendFileSync(join(books, 'ledger.jsonl'), line);
    appendFileSync(join(books, 'ledger.jsonl'), '\n');
  }
  appendFileSync(join(books, 'payments.jsonl'), 'x\n');
  const source = ['--source', `file:${books}`, ...AS_OF];
  const written = await pointage([
    'statement',
    'KORA',
    '2026-10',
    ...source,
    '--out',
    out,
    '--format',
    'pdf,xlsx',
  ]);
  expect(written.status, written.err).toBeLessThan(3);
  const audited = await pointage(['audit', ...source, '--format', 'pdf', '--out', audit]);
  expect(audited.status, audited.err).toBeLessThan(3);
  const { out: json } = await pointage(['audit', ...source, '--format', 'json']);
  const report = JSON.parse(json) as {
    readonly merchants: readonly { readonly findings: readonly Finding[] }[];
  };
  findings = report.merchants[0]!.findings.filter(({ kind }) => kind === 'INPUT_REJECTED');
}, 120_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const fileOf = (extension: string): string =>
  join(out, readdirSync(out).find((name) => name.endsWith(extension))!);

describe('a month with refused rows', () => {
  test('has a finding for each of them', () => {
    expect(findings.length).toBeGreaterThanOrEqual(badLines(1).length);
  });

  test.skipIf(!areInstalled('pdftotext'))('is French on every page (needs pdftotext)', () => {
    for (const file of [fileOf('.pdf'), audit])
      expect(englishIn(pagesOf(file).join('\n')), file).toEqual([]);
    expect(pagesOf(audit).join(' ').replace(/\s+/g, ' ')).toContain(
      'champ amount vaut 12.5, pas un nombre entier',
    );
  });

  test('is French in every sheet', async () => {
    const { cells } = await readCells(readFileSync(fileOf('.xlsx')));
    const texts = [...cells.values()]
      .flatMap((own) => [...own.values()])
      .filter((cell) => typeof cell === 'string');
    expect(texts.flatMap(englishIn)).toEqual([]);
    expect(texts.join('\n')).toContain('le champ amount vaut 12.5, pas un nombre entier');
  });

  test('is French in the mail of its findings', () => {
    const content = {
      topic: 'findings',
      merchant: 'KORA',
      runId: 1,
      verdict: 'incomplete',
      findings,
      more: 0,
    } as const;
    const parcel = {
      id: 'delivery-1',
      target: 'a@b.example',
      createdAt: 0,
      sentAt: 0,
      content,
      report: null,
    };
    const { fr: template } = loadMailTemplates(DEFAULT_TEMPLATE_FOLDER);
    const { text } = composeMessage(parcel, { template, language: 'fr' });
    expect(text).toContain('le champ amount vaut 12.5, pas un nombre entier');
    expect(englishIn(text)).toEqual([]);
  });
});
