// docs/TOUR.md follows one line of the example books through the code. Each value that it shows is
// what the code returns.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { EVERY_INTERPRETATION } from '../src/core/domain/assumptions.ts';
import type { LedgerEntry } from '../src/core/domain/ledger-entry.ts';
import { decodeEntry } from '../src/core/domain/rows/entry-fields.ts';
import { LINE_CHECKS } from '../src/core/kernel/checks/lines/line-checks.ts';
import type { AuditDocument } from '../src/core/kernel/reconcile/audit-document.ts';
import { finishReplay, plainHash, replayEntry } from '../src/core/kernel/replay/replay-entry.ts';
import { ANOMALY, beginReplay, type ReplayedLine } from '../src/core/kernel/replay/replay-state.ts';
import type { Statement } from '../src/core/statements/statement.ts';
import { pointage } from './support/command.ts';

const root = join(import.meta.dirname, '..');
const tour = readFileSync(join(root, 'docs/TOUR.md'), 'utf8');
const shown = [...tour.matchAll(/^```(?:json|text)\n([\s\S]*?)\n```$/gm)].map((match) => match[1]!);
const source = `file:${join(root, 'docs/example-books')}`;
const scratch = mkdtempSync(join(tmpdir(), 'pointage-tour-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const rows = readFileSync(join(root, 'docs/example-books/ledger.jsonl'), 'utf8')
  .trimEnd()
  .split('\n');
const entries = rows.map((row): LedgerEntry => {
  const decoded = decodeEntry(JSON.parse(row));
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.value;
});

/** Returns some fields of a value, in this order, as the tour shows them. */
function some(value: object, ...names: readonly string[]): string {
  const held = value as Readonly<Record<string, unknown>>;
  const chosen = Object.fromEntries(names.map((name) => [name, held[name]]));
  return JSON.stringify(chosen, (_, one) => (typeof one === 'bigint' ? String(one) : one));
}

test('the line, decoded, moved and judged', () => {
  const odd: ReplayedLine[] = [];
  const moves = new Map<number, object>();
  const state = beginReplay();
  const context = {
    settings: { currency: null, opening: null },
    standing: EVERY_INTERPRETATION,
    onAnomaly: (line: ReplayedLine) => void odd.push(line),
    applied: ({ sequence }: LedgerEntry, move: object) => void moves.set(sequence, { ...move }),
    hashOf: plainHash,
  };
  for (const entry of entries) replayEntry(state, entry, context);
  finishReplay(state, context);
  const { find } = LINE_CHECKS.find(({ wokenBy }) => wokenBy === ANOMALY.balance)!;
  expect(odd).toHaveLength(1);
  expect(shown.slice(0, 4)).toEqual([
    rows[5],
    some(entries[5]!, 'sequence', 'kind', 'amount', 'balanceAfter', 'reservedAfter', 'createdAt'),
    some(moves.get(6)!, 'effect', 'heldMove', 'afterJump', 'balanceOff', 'reservedOff'),
    some(find(odd[0]!)!, 'kind', 'expected', 'actual', 'difference'),
  ]);
});

test('the finding, the month and the sentence', async () => {
  const audit = await pointage(['audit', '--source', source, '--format', 'json']);
  const [report] = (JSON.parse(audit.out) as AuditDocument).merchants;
  const words = [
    'statement',
    'EPICERIE_EXEMPLE',
    '2026-10',
    '--source',
    source,
    '--format',
    'json',
    '--out',
    scratch,
  ];
  expect((await pointage(words)).status).toBe(0);
  const stated = JSON.parse(
    readFileSync(join(scratch, 'RELEVE_EPICERIE_EXEMPLE_2026-10_r1.json'), 'utf8'),
  ) as {
    readonly statement: Statement;
    readonly verdict: Readonly<Record<'fr', readonly string[]>>;
  };
  expect(shown.slice(4)).toEqual([
    some(report!.findings[0]!, 'kind', 'fingerprint', 'causedBy', 'item'),
    some(stated.statement.summary, 'recorded', 'due'),
    stated.verdict.fr.join('\n'),
  ]);
});
