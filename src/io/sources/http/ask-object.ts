// Requests single objects of the direct API: the profile, the wallet, and operations one by one.
// Refuses an answer about another merchant or operation than the requested one. Believes a "not
// found" only once the path has returned an operation that exists, because with a wrong path all
// operations would seem to have vanished.

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
 * Requests the profile. Throws WRONG_MERCHANT when the credentials open another account than the
 * one for which they are configured.
 */
export function askProfile(
  asker: Asker,
): Promise<Exclude<Asked<Merchant>, { readonly kind: 'missing' }>> {
  return askAccount(asker, decodeMerchant);
}

/** Requests the profile, read by any decoder. Throws as `askProfile` does. */
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
 * Requests the wallet. A wallet that does not exist is refused like an unreadable one, because the
 * other parts of the books can still be judged.
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

/**
 * Whether the path of single operations is known to work. All merchants of a source share it,
 * because they share the path.
 */
export interface PathProof {
  isProven: boolean;
}

/** How many requests for single operations run at once. */
const AT_ONCE = 4;

/**
 * Returns the operation as it is now, or the refused row; `null` when the service says that it does
 * not exist. The first `null` is returned only after the path was tested with an operation that
 * exists, if there is any.
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
 * Requests open operations as `askMany` does, but with fewer requests where several have the same
 * state: these are read from the first pages of the list of that state.
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
    // Stop after a page that shows none of the operations: the others are then requested one by one
    // at no greater cost.
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

/**
 * Requests operations one by one, and returns them in no particular order, without those that do
 * not exist.
 */
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
        // The place is the same as in the list, so that one bad operation is one refused row,
        // however it was requested.
        const place = `GET ${asker.settings.paths.operations} ${reference}`;
        if (asked?.kind === 'refused') rejected.push({ ...asked.row, reference, place });
      } catch (error) {
        // After one failure all fail, and no more requests are sent.
        queue.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { operations, rejected };
}

/** Requests one operation. Throws UNREADABLE_ANSWER when the answer is about another operation. */
async function askOperation(asker: Asker, reference: string): Promise<Asked<Operation>> {
  // A URL drops `.` and `..` from its path, which would request another object. No operation can be
  // found under these references.
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

// Checks what one merchant's credentials open, without retries: that the service answers and
// accepts them, and that they give the account for which they are configured; and whose account
// that is. For a check of the settings.

type OfMerchant = Pick<Asker, 'merchant' | 'stop'>;

/** Whose account it is; each field is `null` when it could not be read. */
export interface AccountIdentity {
  /** The wallet's `merchantId`. */
  readonly merchantId: string | null;
  readonly name: string | null;
  readonly country: string | null;
}

/** Requests the profile and the wallet once. Throws `SourceFailed`. */
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

/**
 * Where an account's notifications go, and which secret signs them. It is not part of the books.
 */
export interface Notifying {
  readonly webhookUrl: string | null;
  /**
   * "Last eight characters of the current signing secret"; `null` when the service does not state
   * it.
   */
  readonly secretHint: string | null;
}

const decodeNotifying = decoderOf((fields): Notifying & Pick<Merchant, 'reference'> => ({
  reference: takeId(fields, 'reference'),
  webhookUrl: takeOptionalText(fields, 'webhookUrl'),
  secretHint: takeOptionalText(fields, 'webhookSecretHint'),
}));

/**
 * Requests the account, the wallet, and one row of each list, to try all that a night reads. `date`
 * is the service's clock, `null` when it sent none; `notifying` is `null` when it could not be
 * read. Throws `SourceFailed`.
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
