// Puts the files of a statement into a folder, by merchant and month, and then a file that says
// which of them to import. A file appears whole or not at all. Refuses to overwrite a file that has
// other content, and to leave the folder, whatever the names are.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { Readable } from 'node:stream';
import type {
  DeliveryChannel,
  Parcel,
  ParcelFile,
  ReportParcel,
  SendOutcome,
} from '../../core/domain/delivery/delivery-channel.ts';
import { MINUTE } from '../../core/domain/instant.ts';
import { inFileName, safeFileName } from '../../core/domain/naming/names.ts';
import { type MonthKey, statementName } from '../../core/domain/period.ts';
import type { MailTemplate } from '../formats/port/template.ts';
import { importLine } from './compose-message.ts';
import type { MailSettings } from './mail.ts';
import { outcomeOf, repeatableChannel } from './outcome.ts';

/**
 * Opens the channel. A delivery may be repeated, because the same file is put there once: it has
 * the same name and bytes.
 */
export function openFolderChannel(
  folder: string,
  templates: MailSettings['templates'],
): DeliveryChannel {
  const channel = { name: 'folder', concurrency: 2, deadline: 5 * MINUTE } as const;
  return repeatableChannel(channel, (parcel) => putParcel(folder, parcel, templates));
}

async function putParcel(
  folder: string,
  parcel: Parcel,
  templates: MailSettings['templates'],
): Promise<SendOutcome> {
  const { content, report, target, id } = parcel;
  if (target !== folder) return outcomeOf('REFUSED', `The folder of deliveries is ${folder} now.`);
  if (content.topic !== 'statement' || report === null)
    return outcomeOf('REFUSED', 'Only statements are put into a folder.');
  try {
    const place = await placeFor(folder, content);
    if (place === null)
      return outcomeOf(
        'REFUSED',
        `The way to ${inFileName(content.merchant)} leads out of the folder.`,
      );
    const put: string[] = [];
    for (const file of [
      ...report.files,
      ...importsOf(report, content, templates[content.language]),
    ]) {
      const name = safeFileName(file.fileName);
      const isThere = await putFile(
        { directory: place, name, unfinished: `.${id}.${randomUUID()}.part` },
        file,
      );
      if (!isThere)
        return outcomeOf(
          'REFUSED',
          `${join(place, name)} is there with other content; it is left as it is.`,
        );
      put.push(name);
    }
    const left = (await readdir(place)).filter((name) => name.startsWith(`.${id}.`));
    for (const name of left) await rm(join(place, name), { force: true });
    return outcomeOf('SUCCESS', `${place}: ${put.join(', ')}`);
  } catch (failure) {
    return outcomeOf('RETRY', (failure as Error).message);
  }
}

type PutFile = Pick<ParcelFile, 'fileName' | 'sha256' | 'read'>;

/**
 * Returns a file that says what to import of the month, for a program and in words. Returns none
 * where no program imports any of the files.
 */
function importsOf(
  { portions, revision }: ReportParcel,
  month: MonthKey,
  template: MailTemplate,
): readonly PutFile[] {
  if (portions.length === 0) return [];
  const imports = portions.map((portion) => ({
    format: portion.of,
    how: portion.how,
    after: portion.after?.revision ?? null,
    files: portion.files.map(({ fileName, sha256 }) => ({
      fileName: safeFileName(fileName),
      sha256,
    })),
    says: importLine(portion, template),
  }));
  const { merchant, period } = month;
  const bytes = Buffer.from(
    `${JSON.stringify({ merchant, period, revision, imports }, null, 2)}\n`,
  );
  const fileName = `${statementName(month, revision)}.imports.json`;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return [{ fileName, sha256, read: () => Readable.from([bytes]) }];
}

/**
 * Makes a folder and its parents. `recursive` of Node's own `mkdir` is not used, because it never
 * ends under a parent that takes no folders, as /proc.
 */
async function makeFolder(folder: string): Promise<void> {
  const failure = await mkdir(folder).then(
    () => null,
    (refused: NodeJS.ErrnoException) => refused,
  );
  if (failure === null || (failure.code === 'EEXIST' && (await stat(folder)).isDirectory())) return;
  if (failure.code !== 'ENOENT' || dirname(folder) === folder) throw failure;
  await makeFolder(dirname(folder));
  // Another process may have made it meanwhile.
  await mkdir(folder).catch((again: NodeJS.ErrnoException) => {
    if (again.code !== 'EEXIST') throw again;
  });
}

/**
 * Makes the folder of a merchant's month; `null` when a link on the way to it leads out of the
 * folder.
 */
async function placeFor(folder: string, { merchant, period }: MonthKey): Promise<string | null> {
  let place = folder;
  // An older version gave the folder exactly the reference as its name, before references that look
  // alike got different names. A folder that it made is used further.
  const isPath = safeFileName(merchant) !== merchant || /--[0-9A-Z]{10}$/.test(merchant);
  const found = isPath ? '' : basename(await realpath(join(folder, merchant)).catch(() => ''));
  for (const name of [
    null,
    found === merchant ? merchant : inFileName(merchant),
    inFileName(period),
  ]) {
    if (name !== null) place = join(place, name);
    await makeFolder(place);
    const real = await realpath(place);
    const root = await realpath(folder);
    if (real !== root && !real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return null;
  }
  return place;
}

/** Puts a file into the folder. Returns `false` when a file of that name has other content. */
async function putFile(
  { directory, name, unfinished }: Record<'directory' | 'name' | 'unfinished', string>,
  file: PutFile,
): Promise<boolean> {
  const path = join(directory, name);
  const known = await digestOf(path);
  if (known !== null) return known === file.sha256;
  const part = join(directory, unfinished);
  try {
    {
      await using handle = await open(part, 'wx');
      for await (const bytes of file.read()) await handle.appendFile(bytes);
      await handle.sync();
    }
    await rename(part, path);
  } catch (failure) {
    await rm(part, { force: true });
    throw failure;
  }
  await syncDirectory(directory);
  return true;
}

async function digestOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const part of createReadStream(path)) hash.update(part as Buffer);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw failure;
  }
  return hash.digest('hex');
}

/** Writes the directory to disk, so that the new name outlives a power cut. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r');
  await handle.sync();
}
