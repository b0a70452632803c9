// Simulated time: an agenda of events ordered by instant and, within one instant, by the order in
// which they were added. Also finds when the clocks of a zone next show a time of day.

import { DAY, type Instant, MINUTE } from '../../core/domain/instant.ts';
import { invariant } from '../../core/domain/invariant.ts';
import { countFirst } from '../../core/domain/value-in.ts';
import { openZone } from '../../core/domain/zone.ts';

interface Slot<Event> {
  readonly at: Instant;
  readonly event: Event;
}

/** An agenda. `slots` has the latest event first, and within one instant the one added last. */
export interface EventQueue<Event> {
  slots: Slot<Event>[];
}

/** What each kind of event does to the life that it happens in. */
export type Happens<Life, Event extends { readonly what: string }> = {
  readonly [What in Event['what']]: (
    life: Life,
    event: Extract<Event, { readonly what: What }>,
  ) => unknown;
};

export function emptyQueue<Event>(): EventQueue<Event> {
  return { slots: [] };
}

export function addEvent<Event>({ slots }: EventQueue<Event>, slot: Slot<Event>): void {
  const later = countFirst(slots, ({ at }) => at > slot.at);
  slots.splice(later, 0, slot);
}

export function nextInstant<Event>({ slots }: EventQueue<Event>): Instant | null {
  return slots.at(-1)?.at ?? null;
}

/** Returns the next event without removing it; `null` when there is none. */
export function peekEvent<Event>({ slots }: EventQueue<Event>): Event | null {
  return slots.at(-1)?.event ?? null;
}

/** Removes and returns the next event; the queue must not be empty. */
export function takeEvent<Event>({ slots }: EventQueue<Event>): Event {
  return slots.pop()!.event;
}

/**
 * Removes and yields the events due up to and including `until`, one by one, also those added
 * meanwhile.
 */
export function* takeUntil<Event>(
  queue: EventQueue<Event>,
  until: Instant,
): Generator<Slot<Event>, undefined> {
  while ((nextInstant(queue) ?? Number.POSITIVE_INFINITY) <= until) yield queue.slots.pop()!;
}

/** Drops the events for which `unwanted` is true; the others keep their order. */
export function dropEvents<Event>(
  queue: EventQueue<Event>,
  unwanted: (event: Event) => boolean,
): void {
  queue.slots = queue.slots.filter(({ event }) => !unwanted(event));
}

/**
 * Returns the first instant after `from` at which the clocks of the zone show the time. `time` is
 * `HH:mm`; the zone must be known.
 */
export function nextTimeOfDay(
  from: Instant,
  { time, timezone }: { readonly time: string; readonly timezone: string },
): Instant {
  const zone = openZone(timezone);
  invariant(zone !== null, `the zone ${timezone} is known`);
  const [hour, minute] = time.split(':').map(Number) as [number, number];
  const local = from + zone.offsetAt(from);
  const today = Math.floor(local / DAY) * DAY + (hour * 60 + minute) * MINUTE;
  const instants = [-1, 0, 1, 2].map((day) => {
    const clock = today + day * DAY;
    return clock - zone.offsetAt(clock - zone.offsetAt(clock));
  });
  const next = instants.find((at) => at > from);
  invariant(next !== undefined, 'every day has every time of day, or one nearby');
  return next;
}
