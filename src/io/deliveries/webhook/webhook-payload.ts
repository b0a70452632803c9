// What a webhook says, as JSON. A contract with receivers: fields are added, never renamed.

import type { DeliveryContent } from '../../../core/domain/delivery/delivery.ts';
import type { Parcel } from '../../../core/domain/delivery/delivery-channel.ts';
import { formatInstant } from '../../../core/domain/instant.ts';
import { assertNever } from '../../../core/domain/invariant.ts';

/** The same text in every attempt. */
export function payloadOf({ content, createdAt }: Pick<Parcel, 'content' | 'createdAt'>): string {
  return JSON.stringify({ type: typeOf(content), timestamp: formatInstant(createdAt), data: dataOf(content) });
}

function typeOf(content: DeliveryContent): string {
  switch (content.topic) {
    case 'statement':
      return 'statement.issued';
    case 'findings':
      return 'findings.confirmed';
    case 'run':
      return `run.${content.problem.kind.toLowerCase()}`;
    case 'night':
      return 'night.ended';
    default:
      return assertNever(content);
  }
}

function dataOf(content: DeliveryContent): object {
  switch (content.topic) {
    case 'statement': {
      const { merchant, period, reportId } = content;
      return { merchant, period, reportId };
    }
    case 'findings': {
      const { merchant, runId, verdict, findings, more } = content;
      return { merchant, runId, verdict, findings, more };
    }
    case 'run': {
      const { night, runId, expected, done, missing, down } = content.problem;
      return { night: formatInstant(night), runId, expected, done, missing, down };
    }
    case 'night':
      return { ...content.night, night: formatInstant(content.night.night) };
    default:
      return assertNever(content);
  }
}
