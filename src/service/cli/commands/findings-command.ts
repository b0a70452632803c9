// `pointage findings`: what was found, and what people decided about it. Every decision has a
// reason and stays in the history. For people a list has the sentence beside what it weighs and how
// old it is; for programs a column for each.

import { type Command, Option } from 'commander';
import { type Instant, parseInstantOrDay } from '../../../core/domain/instant.ts';
import type { Exposure } from '../../../core/domain/measures.ts';
import { printable, shellWord } from '../../../core/domain/printable.ts';
import { isKind, KINDS } from '../../../core/kernel/checks/port/kinds.ts';
import { LANGUAGES, type Language } from '../../../core/statements/statement.ts';
import { columnsOf, figureOf } from '../../../core/statements/tables/table.ts';
import { money } from '../../../core/words/finding.ts';
import { ConfigurationInvalid, didYouMean } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { FINDING_FILTER, type FindingFilter, queryOf } from '../../http/port/filters.ts';
import {
  FINDING_ACTIONS,
  type FindingAction,
  type FindingQuery,
  type FoundFinding,
  PERMISSION_OF,
} from '../../workflows/operators/decide-findings.ts';
import { MOST_TOGETHER } from '../../workflows/operators/decide-together.ts';
import {
  type AgedFinding,
  ageAt,
  CORRECTION_COLUMNS,
  type Correction,
  correctionsOf,
  FINDING_COLUMNS,
} from '../../workflows/operators/weigh-findings.ts';
import { printFound, sentencesOf } from '../print/report.ts';
import { SPOKEN } from '../print/spoken.ts';
import { asOperator } from '../stage/signing.ts';
import { oneOf, wholeNumber } from '../stage/stage.ts';
import {
  type Act,
  actOf,
  defineSubject,
  filterIn,
  inStore,
  type List,
  withFilter,
} from './subject.ts';

type ListFlags = FindingFilter & { readonly followers?: true };

interface Filtered {
  readonly filter: Omit<FindingQuery, 'limit'>;
  /** The options of the filter as a person types them, like ` --state open`. */
  readonly typed: string;
}

const LIST: List<ListFlags, Filtered, AgedFinding> = {
  does: 'findings, worst first: by severity, then by money within a currency',
  examples: [
    'list --state open --severity critical',
    'list --merchant M001 --kind BALANCE_DRIFT --followers',
    'list --state open --limit 10000 --format xlsx --out findings.xlsx',
  ],
  limit: 50,
  filter: FINDING_FILTER,
  define: (command) => command.option('--followers', 'also what follows from another finding'),
  queryOf: ({ followers, ...flags }) => {
    const { filter, typed } = filterOf(flags);
    return { filter: { ...filter, rootsOnly: followers !== true }, typed };
  },
  find: async ({ desk }, { filter, typed, limit }, { clock }) => {
    const { items, total, seen } = await desk.listDecidable({ ...filter, limit });
    const all = filter.rootsOnly
      ? await desk.listFindings({ ...filter, rootsOnly: false, limit: 0 })
      : null;
    const followers = all === null ? 0 : all.total - total;
    const together = `pointage findings decide ACTION${typed} --expect ${total} --seen ${seen} --reason TEXT`;
    const notes = [
      ...(followers > 0
        ? [`${money(followers)} more follow from a root: --followers lists them too.`]
        : []),
      ...(seen === null
        ? []
        : [`${money(total)} in all; to decide about them at once:\n  ${together}`]),
    ];
    const now = clock();
    return { total, items: items.map((found) => ageAt(found, now)), notes };
  },
  title: 'Findings',
  none: 'There are no such findings.',
  table: [
    {
      head: 'finding',
      cell: ({ finding, state }) =>
        `${finding.fingerprint}\n${state}${finding.status === 'provisional' ? ', provisional' : ''}`,
    },
    {
      head: 'merchant',
      cell: ({ merchant, finding }) =>
        `${printable(merchant)}\n${finding.causedBy === null ? '' : '└ '}${finding.kind}`,
    },
    { head: 'severity', cell: ({ finding }) => finding.severity },
    { head: 'amount', align: 'right', cell: (found) => `${amountOf(found)}\n${wordsOfAge(found)}` },
    { head: 'what', wraps: 70, cell: sentencesOf },
  ],
  columns: FINDING_COLUMNS,
};

/**
 * Returns the filter that the flags ask for. Throws `ConfigurationInvalid` for an unknown kind,
 * because a mistyped kind would find nothing, which passes for good news.
 */
function filterOf(flags: FindingFilter): Filtered {
  const kind = flags.kind?.toUpperCase() ?? '';
  const near = didYouMean(kind, Object.keys(KINDS));
  if (kind !== '' && !isKind(kind))
    throw new ConfigurationInvalid(
      `'${flags.kind}' is not a kind of finding${near}; 'pointage explain' lists them.`,
    );
  const filter = queryOf(filterIn(FINDING_FILTER, { ...flags, kind }));
  const typed = Object.entries(flags).flatMap(([name, value]) =>
    name in FINDING_FILTER && value !== undefined ? [` --${name} ${shellWord(value)}`] : [],
  );
  return { filter, typed: typed.join('') };
}

/**
 * Returns by how much a recorded figure is too high, or with a minus too low. Where the recorded
 * figures are right, returns the amount that the finding is about.
 */
function amountOf({ finding, currency }: FoundFinding): string {
  const sides = (['balance', 'reserved'] as const).flatMap((side) => {
    const figure = finding.item?.[side] ?? '0';
    return figure === '0'
      ? []
      : [`${SPOKEN.amount(figure, currency)}${side === 'reserved' ? '\nreserved' : ''}`];
  });
  if (sides.length > 0) return sides.join('\n');
  return finding.concerned === null
    ? '—'
    : `${SPOKEN.amount(finding.concerned, currency)}\nconcerned`;
}

/** Returns the day that the finding is about, and for how many days the finding is known. */
function wordsOfAge({ finding, ageDays: days }: AgedFinding): string {
  const known =
    days === null
      ? ''
      : days === 0
        ? 'new today'
        : `since ${money(days)} day${days === 1 ? '' : 's'}`;
  return finding.itemAt === null ? known : `of ${finding.itemAt.slice(0, 10)}\n${known}`;
}

const CORRECTIONS: List<FindingFilter, Omit<FindingQuery, 'limit'>, Correction> = {
  name: 'corrections',
  does: 'entries that are proposed to put findings right, for the service to post',
  examples: ['corrections --state open --format csv --out corrections.csv'],
  limit: 50,
  filter: FINDING_FILTER,
  queryOf: (flags) => ({ ...filterOf(flags).filter, rootsOnly: true, proposed: true }),
  find: async ({ desk }, query) => {
    const { items } = await desk.listFindings(query);
    return { items: correctionsOf(items) };
  },
  title: 'Corrections',
  none: 'No such correction is proposed.',
  table: [
    {
      head: 'finding',
      cell: ({ finding, merchant }) => `${finding.fingerprint}\n${printable(merchant)}`,
    },
    {
      head: 'entry',
      cell: ({ entry }) => `${entry.kind}\n${printable(entry.operationReference ?? '')}`,
    },
    {
      head: 'amount',
      align: 'right',
      cell: ({ entry, currency }) => SPOKEN.amount(entry.amount, currency),
    },
    { head: 'description', cell: ({ entry }) => entry.description },
    { head: 'why', wraps: 60, cell: ({ finding }) => finding.message },
  ],
  columns: CORRECTION_COLUMNS,
};

const EXPOSURE: List<Pick<FindingFilter, 'merchant'>, Pick<FindingFilter, 'merchant'>, Exposure> = {
  name: 'exposure',
  does: 'what is at stake: confirmed roots by currency, state and age in days',
  examples: ['exposure', 'exposure --merchant M001', 'exposure --format csv --out exposure.csv'],
  limit: null,
  filter: { merchant: FINDING_FILTER.merchant },
  queryOf: ({ merchant }) => ({ merchant }),
  find: async ({ desk }, { merchant }) => ({ items: await desk.loadExposure(merchant) }),
  title: 'Exposure',
  none: 'Nothing is at stake.',
  table: [
    { head: 'currency', cell: ({ currency }) => currency ?? 'not known' },
    { head: 'state', cell: ({ state }) => state },
    { head: 'age in days', cell: ({ age }) => age },
    { head: 'findings', align: 'right', cell: ({ findings }) => money(findings) },
    { head: 'off by', align: 'right', cell: ({ off, currency }) => SPOKEN.amount(off, currency) },
    {
      head: 'concerned besides',
      align: 'right',
      cell: ({ concerned, currency }) => SPOKEN.amount(concerned, currency),
    },
  ],
  columns: [
    ...columnsOf<Exposure>(['currency', 'state', 'age', 'findings']),
    { key: 'off', form: 'amount', pick: ({ off }) => figureOf(off) },
    { key: 'concerned', form: 'amount', pick: ({ concerned }) => figureOf(concerned) },
  ],
};

const SHOW: Act<Flags & { readonly letter?: Language }> = {
  name: 'show',
  does: 'one finding, whole, with its evidence and history; or a letter to the service about it',
  examples: ['show 1f658be6', 'show 1f658be6 --letter fr > letter.txt'],
  define: (command) =>
    command
      .argument('<fingerprint>', 'its fingerprint, or the beginning of it')
      .addOption(
        new Option('--letter <language>', 'print a letter to the service instead').choices(
          LANGUAGES,
        ),
      ),
  run: (stage, { letter, ...flags }, fingerprint: string) =>
    inStore(stage, flags, async ({ desk }) => {
      const found = await desk.findBeginning(fingerprint);
      if (letter === undefined) return printFound(stage.terminal, found);
      stage.terminal.out((await desk.writeLetter(found, letter)).text);
    }),
};

interface DecisionFlags extends Flags {
  readonly reason?: string;
  readonly line?: readonly string[];
  readonly limit?: string;
  readonly until?: Instant;
}

const REASON = ['--reason <text>', 'why; kept as history'] as const;
const UNTIL = [
  '--until <instant>',
  'of accept: from this day or instant on no more (default: no end)',
  untilIn,
] as const;

function untilIn(text: string): Instant {
  const until = parseInstantOrDay(text);
  if (until === null)
    throw new ConfigurationInvalid(
      `--until must be like 2027-01-01 or 2027-01-01T12:00:00Z, not '${text}'.`,
    );
  return until;
}

interface DecisionParts {
  readonly terms?: (command: Command) => Command;
  /**
   * The argument of an action that takes a text, such as a comment; absent: it takes a `--reason`.
   */
  readonly text?: readonly [form: string, does: string];
}

function decisionOf(
  name: FindingAction,
  does: string,
  examples: readonly string[],
  { terms = (command: Command): Command => command, text }: DecisionParts = {},
): Act<DecisionFlags> {
  return {
    name,
    does,
    examples: examples.map((example) => `${name} 1f658be6 ${example}`),
    define: (command) => {
      command.argument('<fingerprint>', 'its fingerprint, or the beginning of it');
      // Lines that settle a finding are reason enough, and the text of a note is an argument.
      if (name === 'settle') command.option(...REASON);
      else if (text === undefined) command.requiredOption(...REASON);
      else command.argument(...text);
      if (name === 'label') takeMinus(command);
      return terms(command);
    },
    run: async (
      stage,
      given,
      fingerprint: string,
      ...[words = '-']: (string | readonly string[])[]
    ) => {
      const { line: lines, limit, until, ...flags } = given;
      const reason = text === undefined ? flags.reason : [words].flat().join(' ');
      if (limit !== undefined && !/^\d{1,18}$/.test(limit))
        throw new ConfigurationInvalid(
          `--limit must be a whole amount without sign, not '${limit}'.`,
        );
      const taken = await inStore(stage, flags, async (opened) => {
        const { merchant, finding } = await opened.desk.findBeginning(fingerprint);
        const deed = {
          ...opened,
          permission: PERMISSION_OF[name],
          action: `findings ${name}`,
          merchant,
          subject: finding.fingerprint,
        };
        return asOperator(stage, deed, async ({ name: by }) => {
          const wish = { action: name, reason, by, lines, limit, until };
          const key = { merchant, fingerprint: finding.fingerprint };
          return (await opened.desk.decide({ ...key, ...wish }))!;
        });
      });
      if ('proposed' in taken)
        stage.terminal.out(
          `${fingerprint} waits for a second person, as the proposal ${taken.proposed.id}.\n`,
        );
      else
        stage.terminal.out(
          `${fingerprint}${text === undefined ? ` is now ${taken.state}` : `: ${name} is kept`}.\n`,
        );
    },
  };
}

/** Lets `-LABEL` be an argument, and still refuses an unknown option like `--configx`. */
function takeMinus(command: Command): void {
  command.allowUnknownOption().hook('preAction', (_, { args, options }) => {
    const wrong = args.find((one) => one.startsWith('--'));
    if (wrong === undefined) return;
    const near = didYouMean(
      wrong,
      options.map(({ long }) => long ?? ''),
    ).replace('did', 'Did');
    command.error(`error: unknown option '${wrong}'${near}`);
  });
}

const DECISIONS: readonly Act<DecisionFlags>[] = [
  decisionOf('acknowledge', 'say that a finding is being looked into', [
    '--reason "asked the service, ticket 4412"',
  ]),
  decisionOf('reopen', 'take back what was decided about a finding, or by a correction', [
    '--reason "the correction was for another merchant"',
  ]),
  decisionOf(
    'settle',
    'say what put a root right, by its lines or a reason: it weighs nothing in the verdict and in what is due',
    ['--line 913', '--reason "paid back by bank transfer, ticket 4412"'],
    { terms: (command) => command.option('--line <sequence...>', 'adjustments that put it right') },
  ),
  decisionOf(
    'accept',
    'live with a root: it weighs nothing in the verdict',
    ['--reason "below what an inquiry costs" --limit 500 --until 2027-01-01T00:00:00Z'],
    {
      terms: (command) =>
        command
          .option('--limit <amount>', 'at most that much, without sign (default: what it is now)')
          .option(...UNTIL),
    },
  ),
  decisionOf('comment', 'add to the history of a finding', ['"they answer on Monday"'], {
    text: ['<text>', 'what there is to say'],
  }),
  decisionOf('assign', 'say who looks after a finding', ['Awa'], {
    text: ['[name]', 'left out: takes the owner away'],
  }),
  decisionOf('label', 'label a finding', ['+outage -urgent'], {
    text: ['<label...>', '+LABEL adds it, -LABEL takes it away'],
  }),
  decisionOf('due', 'say by which day a finding is due', ['2026-12-01'], {
    text: ['[day]', 'YYYY-MM-DD; left out: by the rules of desk.due'],
  }),
];

interface TogetherFlags extends Flags, FindingFilter {
  readonly reason: string;
  readonly until?: Instant;
  readonly expect: number;
  readonly seen: string;
}

const DECIDE: Act<TogetherFlags> = {
  name: 'decide',
  does: 'take one decision about all roots of a filter, or about none of them',
  examples: [
    'decide acknowledge --state open --kind CREDIT_MISSING --expect 12 --seen 9f3c51d2a07be4468a1c3d5e7f902b46 --reason "ticket 4412"',
  ],
  define: (command) =>
    withFilter(FINDING_FILTER, command.argument('<action>', FINDING_ACTIONS.join(', ')))
      .requiredOption(
        '--expect <count>',
        'how many there are, as the list says',
        wholeNumber(1, MOST_TOGETHER),
      )
      .requiredOption('--seen <text>', 'which they are, as the list says')
      .requiredOption(...REASON)
      .option(...UNTIL),
  run: async (stage, { expect, seen, reason, until, ...flags }, word: string) => {
    const action = oneOf('The action', word, FINDING_ACTIONS);
    const { filter } = filterOf(flags);
    const decided = await inStore(stage, flags, (opened) => {
      const about = {
        action: `findings decide ${action}`,
        merchant: filter.merchant ?? null,
        subject: null,
      };
      return asOperator(
        stage,
        { ...opened, permission: PERMISSION_OF[action], ...about },
        ({ name: by }) =>
          opened.desk.decideTogether({ action, filter, expect, seen, reason, until, by }),
        (each) => each.map(({ merchant, fingerprint }) => ({ merchant, subject: fingerprint })),
      );
    });
    const count = `${money(decided.length)} finding${decided.length === 1 ? '' : 's'}`;
    stage.terminal.out(`${count}: ${action} is kept.\n`);
  },
};

export const defineFindings = defineSubject({
  name: 'findings',
  list: LIST,
  acts: [actOf(EXPOSURE), actOf(CORRECTIONS), SHOW, ...DECISIONS, DECIDE],
});
