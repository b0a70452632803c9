// `pointage init`: asks where the books are, whose they are, and who gets mail; writes the
// configuration with a file for each secret, and looks at it as `pointage doctor` does. Overwrites
// nothing.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { type Stage, withConfigurationOption } from '../stage/stage.ts';
import { printDoctor } from './doctor-command.ts';

const EXAMPLES = `
Examples:
  pointage init
  pointage init --config /etc/pointage/pointage.config.json

Secrets go into files of their own beside the configuration, in secrets/, which the account that runs this alone may read.
An answer that is left empty leaves the setting out: the whole list is in docs/CONFIGURATION.md.`;

export function defineInit(command: Command, stage: Stage): void {
  withConfigurationOption(command)
    .addHelpText('after', EXAMPLES)
    .action(async ({ config = 'pointage.config.json' }: Flags) => {
      const file = resolve(config);
      const folder = join(dirname(file), 'secrets');
      const there = [file, folder].find((place) => existsSync(place));
      if (there !== undefined)
        throw new ConfigurationInvalid(
          `${there} is there already: change it, or name another place with --config.`,
        );
      if (process.stdin.isTTY !== true)
        throw new ConfigurationInvalid(
          'init asks, and there is no terminal to answer on: write the configuration by docs/CONFIGURATION.md.',
        );
      const secrets = new Map<string, string>();
      const settings = await askAll((name, value) => {
        secrets.set(name, value);
        return `file:${join(folder, name)}`;
      });
      if (settings === null) throw new ConfigurationInvalid('Given up: nothing was written.');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const write = (place: string, text: string): void =>
        writeFileSync(place, `${text}\n`, { mode: 0o600, flag: 'wx' });
      for (const [name, value] of secrets) write(join(folder, name), value);
      write(file, JSON.stringify(settings, null, 2));
      stage.terminal.out(
        `Written: ${config}, with ${secrets.size} secret(s) in files. This is how it looks:\n`,
      );
      await printDoctor(stage, { config: file, format: 'text' });
    });
}

/**
 * Asks for all settings and returns them, or `null` when the person gave up. `keep` puts a secret
 * aside and returns the text that names it in the configuration, like `file:secrets/M001.key`.
 */
async function askAll(keep: (name: string, value: string) => string): Promise<object | null> {
  const { password, text } = await import('@clack/prompts');
  const given = async (asked: Promise<string | symbol | undefined>): Promise<string> => {
    const answer = await asked;
    if (typeof answer === 'symbol') throw new GivenUp();
    return (answer ?? '').trim();
  };
  const ask = (message: string, form = /^/, placeholder = '') =>
    given(
      text({
        message,
        placeholder,
        validate: (answer) =>
          form.test((answer ?? '').trim()) ? undefined : `Write it like ${placeholder}`,
      }),
    );
  const hide = (message: string) => given(password({ message }));
  try {
    const source = await ask(
      'Where are the books?',
      /^(?:https?|postgres(?:ql)?):\/\/.|^file:./,
      'https://api.example/v1',
    );
    const merchants: Record<string, object> = {};
    const names = /^http/.test(source)
      ? (
          await ask(
            'References of the merchants, with spaces between',
            /^[\w-]+(?:\s+[\w-]+)*$/,
            'M001 M002',
          )
        ).split(/\s+/)
      : [];
    for (const name of names)
      merchants[name] = {
        apiKey: keep(`${name}.key`, await hide(`API key of ${name}`)),
        apiSecret: keep(`${name}.secret`, await hide(`API secret of ${name}`)),
      };
    const database = await hide('PostgreSQL for the mirror, postgres://… (empty: one of its own)');
    const mail = await hide('Mail server, smtp://user:password@host:587 (empty: no mail)');
    const from =
      mail === '' ? '' : await ask('Sender of mails', /^\S+@\S+$/, 'pointage@example.com');
    const to =
      mail === ''
        ? ''
        : await ask('Who gets the mail of a night?', /^\S+@\S+$/, 'controle@example.com');
    return {
      source,
      ...(database === '' ? {} : { databaseUrl: keep('database', database) }),
      merchants,
      ...(mail === '' ? {} : { mail: { url: keep('mail', mail), from }, alerts: { mail: [to] } }),
    };
  } catch (failure) {
    if (failure instanceof GivenUp) return null;
    throw failure;
  }
}

class GivenUp extends Error {}
