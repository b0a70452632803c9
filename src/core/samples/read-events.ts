// The notifications of a sample.
//
//   event cashin.succeeded CI-1 1000 [id=evt_1 status=FAILED type=CASHOUT at=+2m updatedAt=+1m fees=20 currency=XOF …]
//   event wallet.adjusted at=+2m                                  types that carry no operation: type and time alone
//
// Unless given: the state is that of the type, the date that of the operation's last change (else its number in minutes),
// the type of operation that of its reference, and the id is made of reference and type. Two rows with one id and other
// words are of other content.

import { type Instant, MINUTE } from '../domain/instant.ts';
import {
  type Notification,
  type NotificationContent,
  type NotifiedOperation,
  stateNotifiedBy,
} from '../domain/notification.ts';
import { type Operation, type OperationStatus, type OperationType, typeOfReference } from '../domain/operation.ts';

interface SampleTime {
  readonly operations: readonly Operation[];
  readonly start: Instant;
  readonly readInstant: (text: string) => Instant;
  readonly referenceOf: (word: string) => string | null;
}

export function readEvents(rows: readonly string[], time: SampleTime): readonly NotificationContent[] {
  return rows.map((row) => {
    const words = row.split(/\s+/).slice(1);
    const plain = words.filter((word) => !word.includes('='));
    const pairs = words.filter((word) => word.includes('=')).map((word) => word.split('=') as [string, string]);
    const extras: Readonly<Record<string, string | undefined>> = Object.fromEntries(pairs);
    const content = [...plain, ...pairs.map(([key, value]) => `${key}=${value}`).sort()].join(' ');
    return { notification: readEvent({ plain, extras }, time), content };
  });
}

interface Row {
  readonly plain: readonly string[];
  readonly extras: Readonly<Record<string, string | undefined>>;
}

function readEvent({ plain, extras }: Row, time: SampleTime): Notification {
  const { operations, start, readInstant, referenceOf } = time;
  const type = plain[0]!;
  const reference = plain[1] === undefined ? null : referenceOf(plain[1]);
  const known = operations.find((operation) => operation.reference === reference);
  const byNumber = start + Number(/\d+$/.exec(reference ?? '')?.[0] ?? 1) * MINUTE;
  const createdAt = extras.at === undefined ? (known?.updatedAt ?? byNumber) : readInstant(extras.at);
  const operation: NotifiedOperation | null =
    stateNotifiedBy(type) === null
      ? null
      : {
          reference: reference!,
          type: (extras.type as OperationType | undefined) ?? typeOfReference(reference!) ?? 'CASHIN',
          status: (extras.status as OperationStatus | undefined) ?? stateNotifiedBy(type)!.status,
          amount: Number(plain[2]),
          fees: extras.fees === undefined ? null : Number(extras.fees),
          netAmount: extras.netAmount === undefined ? null : Number(extras.netAmount),
          currency: extras.currency ?? null,
          externalReference: extras.externalReference ?? null,
          failureCode: extras.failureCode ?? null,
          createdAt: known?.createdAt ?? null,
          updatedAt: extras.updatedAt === undefined ? null : readInstant(extras.updatedAt),
        };
  const id = extras.id ?? `evt_${plain[1] ?? 'wallet'}.${type.split('.').at(-1)}`;
  return { id, type, createdAt, at: createdAt, operation };
}

/** When the wallet was adjusted, by the notifications; null when there are none at all. */
export function adjustmentsIn(notifications: readonly NotificationContent[] | null): readonly Instant[] | null {
  if (notifications === null) return null;
  return notifications.flatMap(({ notification: { type, createdAt } }) =>
    type === 'wallet.adjusted' ? [createdAt] : [],
  );
}
