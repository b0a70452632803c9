// `pointage evidence` writes what others can check without pointage. `pointage audit-kit` writes
// one ZIP of a period for an auditor, and replays it.

import { join } from 'node:path';
import { formatInstant } from '../../../core/domain/instant.ts';
import { documentName } from '../../../core/domain/naming/names.ts';
import { type Period, parseDay, type Year } from '../../../core/domain/period.ts';
import { printable, shellWord } from '../../../core/domain/printable.ts';
import { LANGUAGES } from '../../../core/statements/statement.ts';
import { fill } from '../../../core/words/finding.ts';
import { LABELS } from '../../../core/words/tree.ts';
import { evidenceOf, kitSettingsOf } from '../../compose/evidence.ts';
import { withStore } from '../../compose/open-configured.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { ENGINE } from '../../engine.ts';
import { loadTemplate } from '../../templates/load-template.ts';
import type { KitAbout } from '../../workflows/audit-kit/hold-kit.ts';
import { paperParts } from '../../workflows/audit-kit/papers.ts';
import {
  type Replayed,
  type ReplayedMonth,
  replayKit,
} from '../../workflows/audit-kit/replay-kit.ts';
import { writeAuditKit } from '../../workflows/audit-kit/write-kit.ts';
import {
  exportCheckpoint,
  exportNight,
  exportStatement,
} from '../../workflows/evidence/export-evidence.ts';
import { type TableColumn, tableText } from '../print/table.ts';
import { MONTHS, MONTHS_AND_YEARS, wishOf } from '../stage/periods.ts';
import { asOperator } from '../stage/signing.ts';
import { configurationOf, oneOf, type Stage, wholeConfigurationOf } from '../stage/stage.ts';
import { barsOf } from '../stage/terminal.ts';
import { type Act, defineSubject } from './subject.ts';

const AFTER = `
The folder holds verify.py, which needs Python 3 and nothing else: python3 DIR/verify.py DIR. Give the key in log.vkey to those who
will check, before they need it and by another way than the folder; docs/EVIDENCE.md has every byte.`;

const EXPORT: Act<Flags & { readonly out: string }> = {
  name: 'export',
  does: 'write the evidence of a merchant’s newest night, or of an issued statement, to a folder',
  examples: ['export M001 --out evidence', 'export M001 2026-10 --out evidence'],
  after: AFTER,
  define: (command) =>
    command
      .argument('<merchant>', 'reference of the merchant')
      .argument(
        '[period]',
        'a month whose statement was issued: YYYY-MM; left out: the newest night with news',
      )
      .requiredOption('--out <folder>', 'where to write: a new folder, or an empty one'),
  run: async (stage, flags, merchant: string, month: string | undefined) => {
    const configuration = await configurationOf(stage, flags);
    const period =
      month === undefined
        ? null
        : wishOf([merchant, month], { all: false, command: 'evidence export', periods: MONTHS });
    await withStore(configuration, async (store) => {
      const task = evidenceOf(configuration, store, stage);
      const { files, subject } =
        period === null
          ? await exportNight(task, merchant, flags.out)
          : await exportStatement(task, { merchant, period: month! }, flags.out);
      stage.terminal.out(
        `${printable(subject)}: ${files.length} files in ${flags.out}; python3 ${shellWord(`${flags.out}/verify.py`)} ${shellWord(flags.out)} checks them.\n`,
      );
    });
  },
};

const CHECKPOINT: Act<Flags & { readonly since: string }> = {
  name: 'checkpoint',
  does: 'print the newest signed head of the log, with the proof that it continues an earlier one, as witnesses take it',
  examples: ['checkpoint', 'checkpoint --since 42'],
  define: (command) =>
    command.option('--since <leaves>', 'size of the head that the witness has; 0: none', '0'),
  run: async (stage, flags) => {
    if (!/^\d{1,15}$/.test(flags.since))
      throw new ConfigurationInvalid('--since must be a number of leaves.');
    const since = Number(flags.since);
    const configuration = await configurationOf(stage, flags);
    await withStore(configuration, async (store) => {
      stage.terminal.out(await exportCheckpoint(evidenceOf(configuration, store, stage), since));
    });
  },
};

const KIT_AFTER = `
The ZIP has SHA256SUMS, which sha256sum -c checks alone, and a manifest whose root is printed and kept in the trail. POINTAGE_TOKEN
says who hands it out; the role publisher may.`;

function dayOf(name: string, day: string | undefined): string | null {
  if (day !== undefined && parseDay(day) === null)
    throw new ConfigurationInvalid(`--${name} must be a day like 2027-01-15, not '${day}'.`);
  return day ?? null;
}

interface KitFlags extends Flags {
  readonly out: string;
  readonly lang?: string;
  readonly seed?: string;
  readonly sample: string;
  readonly auditor?: string;
  readonly requested?: string;
  readonly answerBy?: string;
}

/** The language of README.txt is that of reports unless it is given. */
const WRITE: Act<KitFlags> = {
  name: 'write',
  isDefault: true,
  does: 'write the audit kit of a merchant’s month or year: every row, what was issued and decided, the evidence, and a manifest',
  examples: ['write M001 2026', 'write M001 2026-10 --out kits --lang en'],
  after: KIT_AFTER,
  define: (command) =>
    command
      .argument('<merchant>', 'reference of the merchant')
      .argument('<period>', 'a month or a year that is over: YYYY-MM, YYYY')
      .option('--out <folder>', 'where KIT_M001_2026.zip is written', '.')
      .option(
        '--lang <language>',
        `words of README.txt and papers: ${LANGUAGES.join(' or ')}; that of reports unless given`,
      )
      .option(
        '--seed <text>',
        'of the sample that is drawn (default: the head of the chain over the lines)',
      )
      .option('--sample <sizes>', 'items by monetary unit, and at simple random', '25,25')
      .option(
        '--auditor <text>',
        'to whom balances are confirmed: name and address (default: left open)',
      )
      .option('--requested <day>', 'day of the request to confirm: YYYY-MM-DD (default: left open)')
      .option('--answer-by <day>', 'until when it is to be answered (default: left open)'),
  run: async (
    stage,
    { out, lang, seed = null, sample, auditor = null, requested, answerBy, ...flags },
    merchant: string,
    period: string,
  ) => {
    const configuration = await wholeConfigurationOf(stage, flags);
    const language =
      lang === undefined ? configuration.reports.language : oneOf('--lang', lang, LANGUAGES);
    const wish = wishOf([merchant, period], {
      all: false,
      command: 'audit-kit write',
      periods: MONTHS_AND_YEARS,
    });
    const file = join(out, `${documentName('KIT', merchant, period)}.zip`);
    const [, monetary, random] = /^(\d{1,4}),(\d{1,4})$/.exec(sample) ?? [];
    if (random === undefined)
      throw new ConfigurationInvalid(`--sample must be like 25,25, not '${sample}'.`);
    if (Number(monetary) + Number(random) === 0)
      throw new ConfigurationInvalid('--sample must ask for one item at least.');
    for (const [name, text] of Object.entries({ seed, auditor }))
      if (text?.trim() === '')
        throw new ConfigurationInvalid(`--${name} must not be empty; leave it out instead.`);
    const confirmation = {
      auditor,
      requestedOn: dayOf('requested', requested),
      answerBy: dayOf('answer-by', answerBy),
    };
    const { reports, decisions } = configuration;
    const options = {
      language,
      verifyAt: reports.verifyAt ?? null,
      template: loadTemplate(reports.template),
    };
    const sizes = { monetary: Number(monetary), random: Number(random) };
    const papers = { options, seed, sizes, confirmation, limits: decisions.secondPersonAbove };
    await withStore(configuration, async (store) => {
      const bars = barsOf(stage.terminal);
      const deed = {
        store,
        configuration,
        permission: 'publish',
        action: 'audit-kit',
        merchant,
      } as const;
      const write = ({ name: by }: { readonly name: string }) =>
        writeAuditKit({
          ...{ merchant, period: wish.period as Period | Year, file, by, now: stage.clock() },
          evidence: evidenceOf(configuration, store, stage),
          settingsFor: kitSettingsOf(configuration),
          readMe: (about) => readMeOf(about, language),
          more: (context) => paperParts({ ...context, ...papers }),
          onStep: bars.next,
        });
      const subjectOf = ({ root }: { readonly root: string }) => [
        { merchant, subject: `${period} ${root}` },
      ];
      const kit = await asOperator(stage, { ...deed, subject: period }, write, subjectOf).finally(
        bars.stop,
      );
      const months = kit.months.length === 1 ? '1 month' : `${kit.months.length} months`;
      stage.terminal.out(`${file}: ${kit.files.length} files, ${months}; root ${kit.root}\n`);
    });
  },
};

function readMeOf(about: KitAbout, language: (typeof LANGUAGES)[number]): string {
  const { title, text, left } = LABELS[language].audit.kit;
  const { merchant, period, engine, replay, months, notIncluded } = about;
  const of = { merchant, period, engine, replay, month: months.at(-1)!.period };
  const values = { ...of, at: formatInstant(about.createdAt), by: about.createdBy };
  const missing = notIncluded.map(({ what, which = '' }) => `- ${fill(left[what], { which })}`);
  const hasNight = notIncluded.every(({ what }) => what !== 'night');
  const lines = text.filter((line) => hasNight || !line.startsWith('- evidence/'));
  return `${[title, ...lines]
    .map((line) => fill(line, values))
    .concat(missing)
    .join('\n\n')}\n`;
}

interface ReplayFlags extends Flags {
  readonly root?: string;
  readonly key?: readonly string[];
}

const REPLAY: Act<ReplayFlags> = {
  name: 'replay',
  does: 'hold an audit kit against its manifest, its parts against each other, and its months against its rows; needs the kit alone',
  examples: ['replay KIT_M001_2026.zip', 'replay KIT_M001_2026/ --root HEX --key KEY'],
  after: `
Exit status: 0 every file and every month is the same · 1 something differs · 3 the kit cannot be read`,
  define: (command) =>
    command
      .argument('<kit>', 'the ZIP, or the folder that it was unpacked into')
      .option(
        '--root <hex>',
        'root of the kit, or of the log at a head in it, that you have from elsewhere',
      )
      .option(
        '--key <keys...>',
        'verifier keys of logs that you have from elsewhere (default: the one in the kit)',
      ),
  run: async (stage, { root, key }, path: string) => {
    const bars = barsOf(stage.terminal);
    const task = {
      engine: ENGINE,
      onMerchant: bars.next,
      ...(root && { root }),
      ...(key && { key }),
    };
    printReplayed(stage, await replayKit(path, task).finally(bars.stop));
    if (root === undefined || key === undefined) stage.terminal.out(ELSEWHERE);
  },
};

const ELSEWHERE = `Compare the root, and the key in evidence/log.vkey, with those that you hold from elsewhere (--root, --key): who changes a kit can
seal it anew, and sign with another key.
`;

function printReplayed(stage: Stage, { manifest, faults, proofs, months }: Replayed): void {
  const { terminal } = stage;
  const say = (text: string) => terminal.out(`${printable(text)}\n`);
  const isSame = faults.length === 0 && months.every((month) => month.isSame);
  stage.status = isSame ? 0 : 1;
  for (const { path, fault, why } of faults)
    say(`✗ ${fault}: ${[path, why].filter(Boolean).join(': ')}`);
  if (months.length === 0) say('Files are not as the manifest has them: no month was stated anew.');
  else terminal.out(`${tableText(terminal, OF_MONTHS, months)}\n`);
  for (const [log, of] of Map.groupBy(proofs, (one) => one.log))
    say(
      `Signed ${log === null ? 'by no known key' : `in the log ${log}`}: ${of.map((one) => one.of).join(', ')}.`,
    );
  if (manifest === null) return;
  const { merchant, period, engine, files, root, chain } = manifest;
  const whole = `${files.length} files, ${chain?.lines ?? 0} stored lines, written by ${engine}, root ${root}`;
  say(`${merchant} ${period}: ${isSame ? 'the same' : 'NOT the same'}; ${whole}.`);
}

const OF_MONTHS: readonly TableColumn<ReplayedMonth>[] = [
  { head: 'month', cell: ({ period, revision }) => `${period} r${revision}` },
  { head: 'verdict', cell: ({ replayed }) => replayed?.verdict ?? '' },
  { head: 'content hash', cell: ({ replayed }) => replayed?.contentHash.slice(0, 12) ?? '' },
  { head: 'chain head', cell: ({ replayed }) => replayed?.chainHead.slice(0, 12) ?? '' },
  { head: 'replay', wraps: 60, cell: outcomeOf },
];

function outcomeOf({ isSame, replayed, refused }: ReplayedMonth): string {
  if (replayed === null) return `DIFFERS: ${printable(refused ?? '')}`;
  const figures = replayed.changes.map(
    ({ figure, before, after }) => `${figure} ${before ?? '-'} → ${after ?? '-'}`,
  );
  if (isSame && figures.length === 0) return 'as issued';
  return `${isSame ? 'as known at the export' : 'DIFFERS'}: ${printable(figures.join(', '))}`;
}

export const defineAuditKit = defineSubject({ name: 'audit-kit', acts: [WRITE, REPLAY] });
export const defineEvidence = defineSubject({ name: 'evidence', acts: [EXPORT, CHECKPOINT] });
