// Prints what the payment service publishes about a month that we state: its report, with each
// figure that differs, or why it was not compared; its payments by link; and its file. Prints
// nothing where the payment service published nothing.

import { printable } from '../../../core/domain/printable.ts';
import {
  isSizeAsStated,
  type LinkSection,
  type ServiceComparison,
  type ServiceDocument,
} from '../../../core/statements/comparison.ts';
import type { PublishedByService } from '../../../core/statements/service/service-comparison.ts';
import { money } from '../../../core/words/finding.ts';
import type { Terminal } from '../stage/terminal.ts';

const MOST_SHOWN = 10;

const REASONS = {
  pending: 'payments were pending when it was made',
  population: 'it counts payments that did not succeed',
  days: 'its days begin at other hours',
} as const;

export function printService(terminal: Terminal, published: PublishedByService): void {
  printComparison(terminal, published.report);
  printLinks(terminal, published.paymentsByLink);
  printDocument(terminal, published.document);
}

function printComparison(terminal: Terminal, comparison: ServiceComparison | null): void {
  if (comparison === null) return;
  const { notCompared, compared, differences, allowed = [] } = comparison;
  if (notCompared !== null) {
    terminal.out(`  the service's report was not compared: ${printable(notCompared)}\n`);
    return;
  }
  const outcome = [
    ...(differences.length === 0 ? [] : [`${differences.length} differ`]),
    ...(allowed.length === 0 ? [] : [`${allowed.length} lawfully apart`]),
  ];
  terminal.out(
    `  the service's report: ${compared} figures compared, ${outcome.join(', ') || 'all agree'}\n`,
  );
  const rows = [...differences.map((one) => ({ ...one, why: null })), ...allowed];
  for (const { key, service: theirs, ours, why } of rows.slice(0, MOST_SHOWN)) {
    const difference = `${printable(key)} is ${printable(theirs ?? 'nothing')}, the statement ${printable(ours ?? 'nothing')}`;
    terminal.out(
      `  the service's report says ${difference}${why === null ? '' : ` (${REASONS[why]})`}\n`,
    );
  }
  if (rows.length > MOST_SHOWN)
    terminal.out(`  … ${rows.length - MOST_SHOWN} more figures differ\n`);
}

/**
 * Prints payments by link on lines of their own, because they are another population than the
 * operations of the wallet.
 */
function printLinks(terminal: Terminal, section: LinkSection | null): void {
  if (section === null) return;
  const { paymentCount, totalAmount, currency, byStatus } = section.summary;
  const waiting = byStatus.PENDING === 0 ? '' : `, ${money(byStatus.PENDING)} pending`;
  terminal.out(
    `  payments by link: ${money(paymentCount)} succeeded, ${money(totalAmount)} ${currency}${waiting}\n`,
  );
  if (section.unread > 0)
    terminal.out(`  rows of payments by link that could not be read: ${section.unread}\n`);
  printComparison(terminal, section.comparison);
}

function printDocument(terminal: Terminal, document: ServiceDocument | null): void {
  if (document === null) return;
  const { kept, notKept, statedSize } = document;
  if (kept === null)
    terminal.out(`  the service's file was not kept: ${printable(notKept?.why ?? '')}\n`);
  else if (!isSizeAsStated(document))
    terminal.out(`  the service's file has ${kept.size} bytes, its report says ${statedSize}\n`);
}
