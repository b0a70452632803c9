// What an entry of the journal says it is: its line's own words, or what it is about. In both languages.

import type { EntrySource } from '../../../core/statements/journal.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import { nameFinding } from '../../../core/words/finding.ts';
import { LABELS } from '../../../core/words/tree.ts';
import { nameKind } from '../kind-names.ts';
import { oneLine, typeset } from '../one-line.ts';
import type { StreamedEntry } from './stream-entries.ts';

const NAMES: Readonly<Record<EntrySource, Readonly<Record<Language, string>>>> = {
  line: { fr: 'Ligne', en: 'Line' },
  reversal: { fr: 'Annulation', en: 'Taken back' },
  drift: { fr: 'Écart de solde à la ligne', en: 'Balance does not follow at line' },
  suspense: { fr: 'En attente de régularisation', en: 'In suspense until it is put right' },
  rounding: { fr: 'Arrondi de la taxe du mois', en: 'Rounding of the month’s tax' },
  ahead: {
    fr: 'Lignes datées d’après l’arrêté, inscrites avant',
    en: 'Lines dated after the cut-off, posted before it',
  },
  rest: { fr: 'Écarts de solde non détaillés', en: 'Differences of the balance, together' },
  day: { fr: 'Opérations du jour', en: 'Operations of the day' },
};

type Named = Pick<StreamedEntry, 'entry' | 'line'>;

const SETTLEMENT: Readonly<Record<Language, string>> = { fr: 'Régularisation', en: 'Settlement' };

/** Of one statement: an entry of a line that put a fault right says so first, and which. */
export function entryNamer({ due }: Pick<Statement, 'due'>, language: Language): (named: Named) => string {
  const settled = due.items.flatMap(({ kind, settledBy }) =>
    kind === null ? [] : (settledBy?.lines ?? []).map((line) => [Number(line), kind] as const),
  );
  const kinds = new Map(settled);
  return (named) => {
    const kind = kinds.get(named.line?.sequence ?? named.entry?.sequence ?? -1);
    const own = nameEntry(named, language);
    return kind === undefined
      ? own
      : `${SETTLEMENT[language]} (${nameFinding({ words: LABELS[language] }, kind)}) ${own}`;
  };
}

/** Of a streamed item that has an entry, or of a line. One line of text, from outside where the line has words of its own. */
export function nameEntry({ entry, line }: Named, language: Language): string {
  if (line !== null) return typeset(oneLine(line.label ?? '')) || nameKind(line.kind, language);
  const { source, sequence, operationReference, operator } = entry!;
  const name = NAMES[source][language];
  const about = [
    sequence === null ? null : String(sequence),
    operationReference,
    operationReference === null ? operator : null,
  ];
  return [name, ...about.filter((one) => one !== null)].join(' ');
}
