// `pointage evidence export`: a folder of evidence that others check without pointage.

import { printable } from '../../../core/domain/printable.ts';
import { evidenceOf } from '../../compose/evidence.ts';
import { withStore } from '../../compose/open-configured.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { exportCheckpoint, exportNight, exportStatement } from '../../workflows/evidence/export-evidence.ts';
import { MONTHS, wishOf } from '../stage/periods.ts';
import { configurationOf } from '../stage/stage.ts';
import { type Act, defineSubject } from './subject.ts';

const AFTER = `
The folder holds verify.py, which needs Python 3 and nothing else: python3 DIR/verify.py DIR. Give the key in log.vkey to those who
will check, before they need it and by another way than the folder; docs/EVIDENCE.md has every byte.`;

interface ExportFlags extends Flags {
  readonly out: string;
}

const EXPORT: Act<ExportFlags> = {
  name: 'export',
  does: 'write the evidence of a merchant’s newest night, or of an issued statement, to a folder',
  examples: ['export M001 --out evidence', 'export M001 2026-10 --out evidence'],
  after: AFTER,
  define: (command) =>
    command
      .argument('<merchant>', 'reference of the merchant')
      .argument('[period]', 'a month whose statement was issued: YYYY-MM; left out: the newest night with news')
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
        `${printable(subject)}: ${files.length} files in ${flags.out}; python3 ${flags.out}/verify.py ${flags.out} checks them.\n`,
      );
    });
  },
};

const CHECKPOINT: Act<Flags & { readonly since: string }> = {
  name: 'checkpoint',
  does: 'print the newest signed head of the log, with the proof that it continues an earlier one, as witnesses take it',
  examples: ['checkpoint', 'checkpoint --since 42'],
  define: (command) => command.option('--since <leaves>', 'size of the head that the witness has; 0: none', '0'),
  run: async (stage, flags) => {
    if (!/^\d{1,15}$/.test(flags.since)) throw new ConfigurationInvalid('--since must be a number of leaves.');
    const since = Number(flags.since);
    const configuration = await configurationOf(stage, flags);
    await withStore(configuration, async (store) => {
      stage.terminal.out(await exportCheckpoint(evidenceOf(configuration, store, stage), since));
    });
  },
};

export const defineEvidence = defineSubject({ name: 'evidence', acts: [EXPORT, CHECKPOINT] });
