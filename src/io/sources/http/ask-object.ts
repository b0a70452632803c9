// Single answers of the direct API: the profile, the wallet, and operations one by one. Refuses an
// answer about another merchant or operation than the one asked about. A "not found" is believed
// only once the path has found an operation that exists: a wrong path must not make operations
// vanish.

import type { Merchant, Wallet } from '../../../core/domain/merchant.ts';
import { isFinal, type OpenOperation, type Operation } from '../../../core/domain/operation.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import {
  type Decoded,
  decoderOf,
  takeId,
  takeOptionalText,
} from '../../../core/domain/rows/decode-object.ts';
import { decodeMerchant } from '../../../core/domain/rows/merchant-fields.ts';
import { decodeDescribed, decodeWallet } from '../../../core/domain/rows/operation-fields.ts';
import type { RejectedRow } from '../../../core/domain/snapshot.ts';
import { rejectRow } from '../decode/decode-row.ts';
import { SourceFailed } from '../port/source.ts';
import { type Asked, type Asker, askObject, listEntries, listOperations, openList } from './ask.ts';
import { checkHttpSettings, type HttpSettings } from './http-settings.ts';

/**
 * Throws WRONG_MERCHANT when the credentials open another account than the one they are configured
 * for.
 */
export function askProfile(
  asker: Asker,
): Promise<Exclude<Asked<Merchant>, { readonly kind: 'missing' }>> {
  return askAccount(asker, decodeMerchant);
}

/** The profile, read by any decoder. Throws as `askProfile` does. */
async function askAccount<Value extends Pick<Merchant, 'reference'>>(
  asker: Asker,
  decode: (value: unknown) => Decoded<Value>,
): Promise<Exclude<Asked<Value>, { readonly kind: 'missing' }>> {
  const { merchant, settings } = asker;
  const names = ['merchant', 'profile'];
  const asked = await askObject(asker, {
    path: settings.paths.profile,
    part: 'merchant',
    names,
    decode,
  });
  if (asked.kind === 'missing') throw asked.failure;
  const reference = asked.kind === 'read' ? asked.value.reference : asked.row.reference;
  if (reference !== null && reference !== merchant) {
    throw new SourceFailed(
      'WRONG_MERCHANT',
      `The credentials configured for ${merchant} open the account of another merchant (${printable(reference)}): correct the settings.`,
    );
  }
  return asked;
}

/**
 * A wallet that does not exist is refused like an unreadable one: the rest of the books counts all
 * the same.
 */
export async function askWallet(
  asker: Asker,
): Promise<Exclude<Asked<Wallet>, { readonly kind: 'missing' }>> {
  const path = asker.settings.paths.wallet;
  const asked = await askObject(asker, {
    path,
    part: 'wallet',
    names: ['wallet'],
    decode: decodeWallet,
  });
  if (asked.kind !== 'missing') return asked;
  const { code } = asked.failure;
  const refused: Refused = {
    reason: `there is none (${code}): check http.paths.wallet`,
    refusal: { code: 'NONE_THERE', answered: code },
  };
  return {
    kind: 'refused',
    row: rejectRow({ part: 'wallet', place: `GET ${path}`, refused, raw: '' }),
    date: null,
  };
}

/** Shared by every merchant of a source, since they share the path. */
export interface PathProof {
  isProven: boolean;
}

/** How many single requests are under way at once. */
const AT_ONCE = 4;

/**
 * The operation as it is now, or the refused row; null when the service says that it does not
 * exist.
 */
export async function askSurely(
  asker: Asker,
  asking: { readonly reference: string; readonly proof: PathProof },
): Promise<Exclude<Asked<Operation>, { readonly kind: 'missing' }> | null> {
  const { reference, proof } = asking;
  const asked = await askOperation(asker, reference);
  if (asked.kind !== 'missing') {
    proof.isProven = true;
    return asked;
  }
  if (!proof.isProven) await provePath(asker, proof);
  return null;
}

/**
 * As `askMany`, with fewer calls where several stay in one state: these are on the first pages of a
 * list of it.
 */
export async function askOpen(
  asker: Asker,
  asking: { readonly open: readonly OpenOperation[]; readonly proof: PathProof },
): Promise<Awaited<ReturnType<typeof askMany>>> {
  const missing = new Set(asking.open.map(({ reference }) => reference));
  const waiting = asking.open.filter(({ status }) => status !== null && !isFinal(status));
  const listed: Operation[] = [];
  for (const [status, { length }] of Map.groupBy(waiting, (one) => one.status!)) {
    const list = openList(asker, listOperations(asker.settings, { status }));
    let [from, found] = [0, 0];
    // A page that shows none of them was the last: to ask for the others one by one costs no more.
    for (let before = -1; before < found && found < length - 1; ) {
      const { rows } = await list.fetch(() => from);
      from += rows.length;
      before = found;
      for (const { row } of rows) {
        if (row === null || !missing.delete(row.reference)) continue;
        listed.push(row);
        found += 1;
      }
    }
  }
  const alone = await askMany(asker, { references: missing, proof: asking.proof });
  return { operations: [...listed, ...alone.operations], rejected: alone.rejected };
}

/** Operations in no particular order; those that do not exist are left out. */
export async function askMany(
  asker: Asker,
  asking: { readonly references: Iterable<string>; readonly proof: PathProof },
): Promise<{
  readonly operations: readonly Operation[];
  readonly rejected: readonly RejectedRow[];
}> {
  const operations: Operation[] = [];
  const rejected: RejectedRow[] = [];
  const queue = [...new Set(asking.references)];
  const work = async (): Promise<void> => {
    for (let reference = queue.pop(); reference !== undefined; reference = queue.pop()) {
      try {
        const asked = await askSurely(asker, { reference, proof: asking.proof });
        if (asked?.kind === 'read') operations.push(asked.value);
        // Named as the list names it: one bad operation is one refused row, whichever way it was
        // met.
        const place = `GET ${asker.settings.paths.operations} ${reference}`;
        if (asked?.kind === 'refused') rejected.push({ ...asked.row, reference, place });
      } catch (error) {
        // One failure is the failure of all: no more requests.
        queue.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { operations, rejected };
}

/** Throws UNREADABLE_ANSWER when another operation is answered than the one asked for. */
async function askOperation(asker: Asker, reference: string): Promise<Asked<Operation>> {
  // An address drops these two from its path and would ask for another thing; no operation can be
  // found under them.
  if (reference === '.' || reference === '..') {
    const failure = new SourceFailed(
      'NOT_FOUND',
      `No address can name the operation ${printable(reference)}.`,
    );
    return { kind: 'missing', failure };
  }
  const path = asker.settings.paths.operation.replace('{reference}', () =>
    encodeURIComponent(reference),
  );
  const asked = await askObject(asker, {
    path,
    part: 'operations',
    names: ['operation'],
    decode: decodeDescribed,
  });
  if (asked.kind === 'missing') return asked;
  const answered = asked.kind === 'read' ? asked.value.reference : asked.row.reference;
  if (answered !== null && answered !== reference) {
    throw new SourceFailed(
      'UNREADABLE_ANSWER',
      `GET ${path} of ${asker.merchant} was answered with operation ${printable(answered)}: check http.paths.operation.`,
    );
  }
  return asked;
}

function printable(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

async function provePath(asker: Asker, proof: PathProof): Promise<void> {
  const list = openList(asker, listOperations(asker.settings, {}));
  const page = await list.fetch(() => 0, 1);
  const served = page.rows[0]?.row?.reference;
  if (served === undefined) return;
  const asked = await askOperation(asker, served);
  if (asked.kind === 'missing') {
    throw new SourceFailed(
      'NOT_FOUND',
      `The operations of ${asker.merchant} cannot be asked for one by one (${asked.failure.message.replace(/\.$/, '')}): check http.paths.operation.`,
    );
  }
  proof.isProven = true;
}

// What one merchant's credentials open, asked once: that the service answers, takes them, and gives
// the account that they are configured for; and whose account it is. For a look at the settings:
// reads nothing else.

type OfMerchant = Pick<Asker, 'merchant' | 'stop'>;

/** Each is null where it could not be read. */
export interface AccountIdentity {
  /** The wallet's `merchantId`. */
  readonly merchantId: string | null;
  readonly name: string | null;
  readonly country: string | null;
}

/** Throws `SourceFailed`. */
export async function identifyAccount(
  settings: HttpSettings,
  of: OfMerchant,
): Promise<AccountIdentity> {
  const asker = askerOnce(settings, of);
  const profile = await askProfile(asker);
  const wallet = await askWallet(asker);
  const { name, country } = profile.kind === 'read' ? profile.value : { name: null, country: null };
  return { merchantId: wallet.kind === 'read' ? wallet.value.merchantId : null, name, country };
}

/** Where an account's notifications go, and which secret signs them: not part of any book. */
export interface Notifying {
  readonly webhookUrl: string | null;
  /** "Last eight characters of the current signing secret"; null where it is not said. */
  readonly secretHint: string | null;
}

const decodeNotifying = decoderOf((fields): Notifying & Pick<Merchant, 'reference'> => ({
  reference: takeId(fields, 'reference'),
  webhookUrl: takeOptionalText(fields, 'webhookUrl'),
  secretHint: takeOptionalText(fields, 'webhookSecretHint'),
}));

/**
 * Asks for the account, the wallet and a row of each list, which a night reads. `date`: the
 * service's clock; null: it sent none. `notifying` null: that could not be read. Throws
 * `SourceFailed`.
 */
export async function probeMerchant(settings: HttpSettings, of: OfMerchant) {
  const asker = askerOnce(settings, of);
  const asked = await askAccount(asker, decodeNotifying);
  const wallet = await askWallet(asker);
  if (wallet.kind === 'refused')
    throw new SourceFailed('NOT_FOUND', `The wallet cannot be read: ${wallet.row.reason}.`);
  await openList(asker, listEntries(asker.settings)).fetch(() => 0, 1);
  await openList(asker, listOperations(asker.settings, {})).fetch(() => 0, 1);
  const notifying: Notifying | null = asked.kind === 'read' ? asked.value : null;
  return { date: asked.date, notifying };
}

function askerOnce(settings: HttpSettings, of: OfMerchant): Asker {
  checkHttpSettings(settings);
  return { settings: { ...settings, retries: { ...settings.retries, attempts: 1 } }, ...of };
}
