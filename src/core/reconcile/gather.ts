// One deviation, reported once: where more than twenty operations deviate in one way, one finding speaks for all. It judges
// nothing, and leaves alone what is grave, what follows from something else, and what each operation has for itself.

import type { GatheredFigures } from '../checks/port/finding-figures.ts';
import { KINDS } from '../checks/port/kinds.ts';
import type { Reported } from '../domain/figures.ts';
import type { Evidence, Finding, Item } from '../domain/finding.ts';
import { ENGLISH } from '../words/english.ts';
import { wordFinding } from '../words/finding.ts';

/** Up to here each operation has its own finding. */
const MOST_APART = 20;
/** The one finding names so many of them, and the last. */
const MOST_NAMED = 20;

/** `findings` in the order of the operations. The first of each group stays, with its place and its fingerprint. */
export function gatherDeviations(findings: readonly Finding[]): readonly Finding[] {
  const groups = Map.groupBy(findings, wayOf);
  const spokenFor = new Map<string, string>();
  const gathered = new Map<Finding, Finding>();
  for (const [way, group] of groups) {
    if (way === null || group.length <= MOST_APART) continue;
    const first = group[0]!;
    gathered.set(first, speakFor(first, group));
    for (const { fingerprint } of group.slice(1)) spokenFor.set(fingerprint, first.fingerprint);
  }
  return findings
    .filter(({ fingerprint }) => !spokenFor.has(fingerprint))
    .map((finding) => {
      const cause = finding.causedBy === null ? undefined : spokenFor.get(finding.causedBy);
      return gathered.get(finding) ?? (cause === undefined ? finding : { ...finding, causedBy: cause });
    });
}

/** Equal for findings of one deviation; null for what is never gathered, as what is said of no operation. */
function wayOf({
  kind,
  severity,
  status,
  causedBy,
  figures,
  operationReference,
  settledBy,
  accepted,
}: Finding): string | null {
  const { sharedWhen } = KINDS[kind];
  if (
    sharedWhen === undefined ||
    operationReference === null ||
    causedBy !== null ||
    settledBy !== null ||
    accepted !== null ||
    severity === 'critical' ||
    severity === 'error'
  )
    return null;
  return JSON.stringify([kind, status, ...sharedWhen.map((name) => figures[name] ?? null)]);
}

function speakFor(first: Finding, group: readonly Finding[]): Finding {
  const last = group.at(-1)!;
  const differences = group.flatMap(({ difference }) => (difference === null ? [] : [BigInt(difference)]));
  const sum = differences.length === 0 ? null : differences.reduce((a, b) => a + b).toString();
  const gathered: Reported<GatheredFigures> = { count: String(group.length), last: last.operationReference, sum };
  const figures = { ...first.figures, gathered };
  const named = [...group.slice(1, MOST_NAMED), last].map(
    ({ operationReference }): Evidence => ({
      what: 'operation',
      sequence: null,
      reference: operationReference,
      note: null,
    }),
  );
  const evidence = [...first.evidence, ...named];
  const message = wordFinding(ENGLISH, first.kind, figures);
  const itemParts = group.flatMap((one) => one.itemParts);
  return { ...first, difference: sum, item: sumOfItems(group), itemParts, figures, message, evidence };
}

function sumOfItems(group: readonly Finding[]): Item {
  const sum = (side: keyof Item): string =>
    group.reduce((total, { item }) => total + BigInt(item?.[side] ?? 0), 0n).toString();
  return { balance: sum('balance'), reserved: sum('reserved') };
}
