// `pointage doctor`: one line for each thing that a night depends on, and what to do about those
// that are not as they should be. Changes nothing; for people before the first night, and for
// programs after every change.

import type { Command } from 'commander';
import type { Condition, Diagnosis } from '../../compose/doctor/examination.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { oneOf, type Stage, wholeConfigurationOf, withCommonOptions } from '../stage/stage.ts';
import { paint } from '../stage/terminal.ts';

const EXAMPLES = `
Examples:
  pointage doctor
  pointage doctor --all                             (after new credentials: asks every merchant, not 20)
  pointage doctor --config /etc/pointage/pointage.config.json --format json

✓ as it should be · – not configured, or not to be known from here · ! works, but look · ✗ broken
Exit status: 0 nothing to do · 2 something to look at · 3 something is broken`;

interface DoctorFlags extends Flags {
  readonly source?: string;
  readonly format: string;
  readonly all?: boolean;
}

/** Milliseconds for each thing that is looked at. */
const PATIENCE = 10_000;

export function defineDoctor(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .option('--source <uri>', 'where the books are: https://…/v1, postgres://… or file:DIR')
    .option('--format <format>', 'text or json', 'text')
    .option('--all', 'ask every merchant (default: 20 at most)')
    .addHelpText('after', EXAMPLES)
    .action((flags: DoctorFlags) => printDoctor(stage, flags));
}

/** Prints a line for each thing examined, and sets the exit status of the process. */
export async function printDoctor(stage: Stage, flags: DoctorFlags): Promise<void> {
  const format = oneOf('--format', flags.format, ['text', 'json']);
  const diagnoses = await examineInstallation(stage, flags);
  const has = (wanted: Condition): boolean =>
    diagnoses.some(({ condition }) => condition === wanted);
  stage.status = has('broken') ? 3 : has('warning') ? 2 : 0;
  if (format === 'json') stage.terminal.out(`${JSON.stringify({ diagnoses }, null, 2)}\n`);
  else for (const diagnosis of diagnoses) stage.terminal.out(`${lineOf(stage, diagnosis)}\n`);
}

/**
 * Examines the configuration, and then all that depends on it. A configuration that cannot be used
 * is reported as broken, and nothing else is examined.
 */
async function examineInstallation(
  stage: Stage,
  flags: DoctorFlags,
): Promise<readonly Diagnosis[]> {
  const what = 'configuration';
  try {
    const configuration = await wholeConfigurationOf(stage, flags);
    // Loaded when it is needed: no other command should wait for all that it looks at.
    const { diagnose } = await import('../../compose/doctor/diagnose.ts');
    const merchants = Object.keys(configuration.merchants).length;
    const says = `valid, ${merchants} merchant(s)`;
    const task = {
      configuration,
      runtime: stage,
      conceal: stage.conceal,
      patience: PATIENCE,
      all: flags.all === true,
    };
    return [{ what, condition: 'good', says, todo: null }, ...(await diagnose(task))];
  } catch (failure) {
    // Without the list of merchants that the configuration names, all further examinations would be
    // about other merchants.
    const isListDown = failure instanceof Error && failure.name === 'SourceFailed';
    if (!(failure instanceof ConfigurationInvalid) && !isListDown) throw failure;
    const says = stage.conceal(failure.message);
    return [{ what, condition: 'broken', says, todo: 'correct it, and look again' }];
  }
}

const SIGNS: Readonly<
  Record<Condition, { readonly sign: string; readonly colour: Parameters<typeof paint>[1] }>
> = {
  good: { sign: '✓', colour: 'green' },
  idle: { sign: '–', colour: 'grey' },
  warning: { sign: '!', colour: 'yellow' },
  broken: { sign: '✗', colour: 'red' },
};

function lineOf({ terminal }: Stage, { what, condition, says, todo }: Diagnosis): string {
  const { sign, colour } = SIGNS[condition];
  const line = `${paint(terminal, colour, sign)} ${what}: ${says}`;
  return todo === null ? line : `${line} → ${todo}`;
}
