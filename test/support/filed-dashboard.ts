// Audits files with a dashboard's part: what an audit says of payments by link and payouts.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { type Instant, MINUTE } from '../../src/core/domain/instant.ts';
import { openFileDashboard } from '../../src/io/sources/file/open-file-dashboard.ts';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import type { Books } from '../../src/sandbox/model/plan.ts';
import { auditSource } from '../../src/service/workflows/audit/audit-source.ts';
import { writeBundle } from './sandbox-bundle.ts';

/** Writes the books to files and audits these, as of their own instant unless another is given. */
export async function auditFiled(books: Books, asOf: Instant = books.asOf): Promise<AuditReport> {
  const folder = await mkdtemp(join(tmpdir(), 'filed-'));
  await writeBundle(folder, books);
  const source = openFileSource(folder);
  const dashboard = openFileDashboard(folder);
  try {
    const [report] = await auditSource(source, {
      merchants: [],
      optionsFor: () => ({ asOf, grace: 0, clockTolerance: 5 * MINUTE, pinned: {}, opening: null }),
      published: { dashboard, months: null, summaryKeys: {} },
      onMerchant: () => () => {},
    });
    return report!;
  } finally {
    await source.close();
    await dashboard.close();
    await rm(folder, { recursive: true });
  }
}

export function kindsIn({ findings }: AuditReport): readonly string[] {
  return findings.map(({ kind }) => kind);
}

/** Returns the kind of every root, and what its first piece of evidence names. */
export function rootsIn({
  findings,
}: AuditReport): readonly (readonly [string, string | null | undefined])[] {
  const roots = findings.filter(({ causedBy }) => causedBy === null);
  return roots.map(({ kind, evidence }) => [kind, evidence[0]?.reference]);
}
