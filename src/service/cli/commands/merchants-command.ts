// `pointage merchants`: whose books are mirrored, and which merchants are retired.

import { printable } from '../../../core/domain/printable.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { type Filter, MERCHANT_FILTER } from '../../http/port/filters.ts';
import {
  type ListedMerchant,
  MERCHANT_COLUMNS,
  restoreMerchant,
  retireMerchant,
} from '../../workflows/operators/runs-and-merchants.ts';
import { SPOKEN } from '../print/spoken.ts';
import { type Act, defineSubject, filterIn, inStoreAs, type List } from './subject.ts';

const RETIRED = `
A retired merchant is left out where audit, statement make and statement issue go over all merchants of the mirror; by name it can still be
asked for, and its books stay. A run and a night cover whom the source names: take it out of the source's list as well.`;

const LIST: List<object, Filter<typeof MERCHANT_FILTER>, ListedMerchant> = {
  does: 'merchants of the mirror, by reference',
  examples: [
    'list',
    'list --verdict broken --country CI',
    'list --limit 10000 --format xlsx --out merchants.xlsx',
  ],
  limit: 200,
  filter: MERCHANT_FILTER,
  queryOf: (flags) => filterIn(MERCHANT_FILTER, flags),
  find: ({ desk }, query) => desk.listMerchants(query),
  title: 'Merchants',
  none: 'The mirror holds no such merchant.',
  table: [
    {
      head: 'merchant',
      cell: ({ reference, name }) => `${printable(reference)}\n${printable(name ?? '')}`,
    },
    { head: 'country', cell: ({ country }) => country ?? '' },
    { head: 'verdict', cell: verdictWords },
    { head: 'open', align: 'right', cell: ({ openFindings }) => String(openFindings) },
    { head: 'known up to', cell: ({ watermark }) => SPOKEN.minute(watermark) },
    {
      head: 'retired',
      wraps: 40,
      cell: ({ retired }) => (retired === null ? '' : retirementWords(retired)),
    },
  ],
  // Keys are a contract with programs: they are added, never renamed.
  columns: MERCHANT_COLUMNS,
};

function verdictWords({ verdict, judged, lastVerdict, lastRunAt }: ListedMerchant): string {
  const now = verdict ?? 'not judged';
  return judged || lastVerdict === null
    ? now
    : `${now}\n(${lastVerdict} on ${SPOKEN.day(lastRunAt)})`;
}

function retirementWords({ at, by, reason }: NonNullable<ListedMerchant['retired']>): string {
  return `${SPOKEN.day(at)} by ${printable(by)}: ${printable(reason)}`;
}

const RETIRE: Act<Flags & { readonly reason: string }> = {
  name: 'retire',
  does: 'leave a merchant out where all of the mirror are meant; its books stay',
  examples: ['retire M001 --reason "closed its account, ticket 4412"'],
  before: RETIRED,
  define: (command) =>
    command
      .argument('<merchant>', 'reference of the merchant')
      .requiredOption('--reason <text>', 'why; kept beside it'),
  run: async (stage, flags, merchant: string) => {
    const deed = {
      permission: 'decide',
      action: 'merchants retire',
      merchant,
      subject: null,
    } as const;
    await inStoreAs(stage, flags, deed, ({ store }, by) =>
      retireMerchant(store, merchant, { at: stage.clock(), by, reason: flags.reason }),
    );
    stage.terminal.out(`${printable(merchant)} is retired.\n`);
  },
};

const RESTORE: Act<Flags> = {
  name: 'restore',
  does: 'take a retired merchant back',
  examples: ['restore M001'],
  define: (command) => command.argument('<merchant>', 'reference of the merchant'),
  run: async (stage, flags, merchant: string) => {
    const deed = {
      permission: 'decide',
      action: 'merchants restore',
      merchant,
      subject: null,
    } as const;
    await inStoreAs(stage, flags, deed, ({ store }) => restoreMerchant(store, merchant));
    stage.terminal.out(`${printable(merchant)} is no longer retired.\n`);
  },
};

export const defineMerchants = defineSubject({
  name: 'merchants',
  before: RETIRED,
  list: LIST,
  acts: [RETIRE, RESTORE],
});
