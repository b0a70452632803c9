// The register of commands, one entry each: what the list of commands says of it, and the file that has the rest of it,
// which is loaded for that command alone.

import type { Command } from 'commander';
import type { Stage } from '../command.ts';

export interface CommandEntry {
  readonly name: string;
  /** What may follow its name, as the list of commands shows it; empty for a command that is only the first of two words. */
  readonly usage: string;
  readonly description: string;
  /** Gives the command its arguments, options, help and action. */
  readonly load: () => Promise<(command: Command, stage: Stage) => void>;
}

/** In the order in which they are listed. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'demo',
    usage: '[options]',
    description: 'see the whole job on a simulated service: a dozen merchants, two nights, some planted faults',
    load: async () => (await import('./demo-command.ts')).defineDemo,
  },
  {
    name: 'run',
    usage: '[options] [merchant...]',
    description: 'pull what is new from the source, replay it, check, save findings, and say what changed',
    load: async () => (await import('./run-command.ts')).defineRun,
  },
  {
    name: 'audit',
    usage: '[options] [merchant...]',
    description: 'replay the books from the first line, trusting nothing stored, and report what does not agree',
    load: async () => (await import('./audit-command.ts')).defineAudit,
  },
  {
    name: 'findings',
    usage: '',
    description: 'list findings, show one, or decide about it',
    load: async () => (await import('./findings-command.ts')).defineFindings,
  },
  {
    name: 'merchants',
    usage: '',
    description: 'list the merchants of the mirror, retire one, or take it back',
    load: async () => (await import('./merchants-command.ts')).defineMerchants,
  },
  {
    name: 'statement',
    usage: '[options] [merchant] [period]',
    description:
      "state a merchant's month: opening, movements, closing, reconciliation, journal and ledger, as documents",
    load: async () => (await import('./statement-command.ts')).defineStatement,
  },
  {
    name: 'attest',
    usage: '[options] [merchant] [day]',
    description: 'confirm the balance at the end of a day on one page, for an auditor',
    load: async () => (await import('./attest-command.ts')).defineAttest,
  },
  {
    name: 'publish',
    usage: '[options] [merchant] [period]',
    description: "issue a merchant's month as a report, with its documents, in the store",
    load: async () => (await import('./publish-command.ts')).definePublish,
  },
  {
    name: 'close',
    usage: '[options] [merchant] [period]',
    description: 'lock a month that was issued: what comes later falls into the month after it',
    load: async () => (await import('./close-command.ts')).defineClose,
  },
  {
    name: 'statements',
    usage: '',
    description: 'let a statement that is held go out, or send one that was issued once more',
    load: async () => (await import('./statements-command.ts')).defineStatements,
  },
  {
    name: 'serve',
    usage: '[options]',
    description: 'serve reports, findings and audits over HTTP, and take the notifications of the service',
    load: async () => (await import('./serve-command.ts')).defineServe,
  },
  {
    name: 'token',
    usage: '[options] <merchant>',
    description: 'make a token by which a merchant opens its reports, where the secret is shared',
    load: async () => (await import('./token-command.ts')).defineToken,
  },
  {
    name: 'worker',
    usage: '[options]',
    description: 'run every merchant each night, as a service: plan, queue, statements of ended months, watchdog',
    load: async () => (await import('./worker-command.ts')).defineWorker,
  },
  {
    name: 'deliveries',
    usage: '',
    description: 'list what was announced to whom, show one, have it tried again, or send what is due',
    load: async () => (await import('./deliveries-command.ts')).defineDeliveries,
  },
  {
    name: 'explain',
    usage: '[options] [kind]',
    description: 'what a kind of finding means, with an example that fires and one that does not',
    load: async () => (await import('./explain-command.ts')).defineExplain,
  },
  {
    name: 'doctor',
    usage: '[options]',
    description: 'look at the database, the source, mail, disk and clocks, and say what to do',
    load: async () => (await import('./doctor-command.ts')).defineDoctor,
  },
  {
    name: 'config',
    usage: '',
    description: 'what a configuration may hold, as a JSON Schema for editors',
    load: async () => (await import('./config-command.ts')).defineConfig,
  },
  {
    name: 'migrate',
    usage: '[options]',
    description: 'bring the schema of the store up to date (every command that uses the store does so too)',
    load: async () => (await import('./migrate-command.ts')).defineMigrate,
  },
  {
    name: 'completion',
    usage: '<shell>',
    description: 'a script by which bash, zsh or fish complete commands and options',
    load: async () => {
      const { defineCompletion } = await import('./completion-command.ts');
      return (command, stage) => defineCompletion(command, stage, COMMANDS);
    },
  },
  {
    name: 'sandbox',
    usage: '[options]',
    description: 'serve the simulated service until interrupted: same merchants as the demonstration',
    load: async () => (await import('./sandbox-command.ts')).defineSandbox,
  },
  {
    name: 'rehearse',
    usage: '[options]',
    description:
      'the closed loop on the simulated service: partners call, notifications flow, a night finds what was planted',
    load: async () => (await import('./rehearse-command.ts')).defineRehearse,
  },
];
