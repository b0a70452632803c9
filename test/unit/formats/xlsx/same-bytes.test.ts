// Equal statements give equal workbooks on any machine: other zones and languages of the process do
// not show.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { sampleDocument } from '../../../support/sample-statement.ts';
import { xlsxBytes } from '../../../support/sheet-cells.ts';

const ROOT = new URL('../../../../', import.meta.url);
const SCRIPT = `
  const { sampleDocument } = await import('${new URL('test/support/sample-statement.ts', ROOT)}');
  const { xlsxBytes } = await import('${new URL('test/support/sheet-cells.ts', ROOT)}');
  const document = sampleDocument({ lines: 120, texts: 'hostile' });
  const bytes = await xlsxBytes(document);
  process.stdout.write((await import('node:crypto')).createHash('sha256').update(bytes).digest('hex'));`;

async function hashesUnder(environment: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', SCRIPT],
    {
      env: { ...process.env, ...environment },
    },
  );
  return stdout.trim();
}

describe('the bytes of a workbook', () => {
  test('are those of its statement, whatever the zone and language of the process', async () => {
    const here = await hashesUnder({
      TZ: 'Pacific/Kiritimati',
      LANG: 'ar_EG.UTF-8',
      LC_ALL: 'ar_EG.UTF-8',
    });
    expect(here).toMatch(/^[0-9a-f]{64}$/);
    expect(await hashesUnder({ TZ: 'America/St_Johns', LANG: 'C', LC_ALL: 'C' })).toBe(here);
    const document = sampleDocument({ lines: 120, texts: 'hostile' });
    const bytes = await xlsxBytes(document);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(here);
  });

  test('differ when one figure differs', async () => {
    const document = sampleDocument();
    const { statement } = document;
    const other = {
      ...statement,
      summary: { ...statement.summary, paymentCount: statement.summary.paymentCount + 1 },
    };
    expect(
      Buffer.compare(await xlsxBytes(document), await xlsxBytes({ ...document, statement: other })),
    ).not.toBe(0);
  });
});
