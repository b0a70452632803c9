// The commands: parses, calls a workflow, answers. Results go to stdout, everything else to stderr; status 3 means that the
// command itself failed.

import { Command, CommanderError } from 'commander';
import { ConfigurationInvalid } from '../config.ts';
import { ENGINE } from '../engine.ts';
import { addAuditCommand } from './audit-command.ts';
import type { Stage } from './command.ts';
import { addDeliveriesCommand } from './deliveries-command.ts';
import { addDemoCommand } from './demo-command.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addExplainCommand } from './explain-command.ts';
import { addFindingsCommand } from './findings-command.ts';
import { addMigrateCommand } from './migrate-command.ts';
import { addPublishCommand } from './publish-command.ts';
import { addRunCommand } from './run-command.ts';
import { addSandboxCommand } from './sandbox-command.ts';
import { addServeCommand } from './serve-command.ts';
import { addStatementCommand } from './statement-command.ts';
import { addWorkerCommand } from './worker-command.ts';

const FAILED = 3;
const EXAMPLES = `
Examples:
  pointage demo                                   (the whole job on a simulated service)
  pointage audit --source file:./books            (books in files)
  pointage run --source https://api.example/v1    (every night)
  pointage help audit`;

export async function runCommand(words: readonly string[], stage: Stage): Promise<number> {
  const program = new Command('pointage')
    .description(
      'Ledger reconciliation for mobile-money wallets: replays every line, names every difference, says what it did not check.',
    )
    .version(ENGINE)
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .showHelpAfterError('(pointage --help shows what there is)')
    .configureOutput({ writeOut: stage.terminal.out, writeErr: stage.terminal.note });
  addDemoCommand(program, stage);
  addRunCommand(program, stage);
  addAuditCommand(program, stage);
  addFindingsCommand(program, stage);
  addStatementCommand(program, stage);
  addPublishCommand(program, stage);
  addServeCommand(program, stage);
  addWorkerCommand(program, stage);
  addDeliveriesCommand(program, stage);
  addExplainCommand(program, stage);
  addDoctorCommand(program, stage);
  addMigrateCommand(program, stage);
  addSandboxCommand(program, stage);
  try {
    await program.parseAsync([...words], { from: 'user' });
    return stage.status;
  } catch (failure) {
    return failed(stage, failure);
  }
}

function failed(stage: Stage, failure: unknown): number {
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? 0 : FAILED;
  const expected = failure instanceof ConfigurationInvalid || (failure instanceof Error && 'code' in failure);
  const text =
    failure instanceof Error ? (expected ? failure.message : (failure.stack ?? failure.message)) : String(failure);
  stage.terminal.note(`pointage: ${stage.conceal(text)}\n`);
  return FAILED;
}
