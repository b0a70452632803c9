// Simulated time: an agenda of events in the order of their instants, and of one instant in the
// order in which they were added; and when the clocks of a zone next show a time of day.

import { DAY, type Instant, MINUTE } from '../../core/domain/instant.ts';
import { invariant } from '../../core/domain/invariant.ts';
import { countFirst } from '../../core/domain/value-in.ts';
import { openZone } from '../../core/domain/zone.ts';

interface Slot<Event> {
  readonly at: Instant;
  readonly event: Event;
}

/** Latest first; of one instant, the last added first. */
export interface EventQueue<Event> {
  slots: Slot<Event>[];
}

/** By what an event is: what it does to the life that it happens in. */
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

/** The next event, which stays; null when there is none. */
export function peekEvent<Event>({ slots }: EventQueue<Event>): Event | null {
  return slots.at(-1)?.event ?? null;
}

/** Removes and returns the next event; the queue must not be empty. */
export function takeEvent<Event>({ slots }: EventQueue<Event>): Event {
  return slots.pop()!.event;
}

/** Removes what is due up to and including `until`, one by one, also what is added meanwhile. */
export function* takeUntil<Event>(
  queue: EventQueue<Event>,
  until: Instant,
): Generator<Slot<Event>, undefined> {
  while ((nextInstant(queue) ?? Number.POSITIVE_INFINITY) <= until) yield queue.slots.pop()!;
}

/** Drops the events that `unwanted` names; the others keep their order. */
export function dropEvents<Event>(
  queue: EventQueue<Event>,
  unwanted: (event: Event) => boolean,
): void {
  queue.slots = queue.slots.filter(({ event }) => !unwanted(event));
}

/** `HH:mm`, of a zone that is known. The first such instant after `from`. */
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
