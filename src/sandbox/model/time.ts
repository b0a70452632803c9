// Simulated time: an agenda of events in the order of their instants, and of one instant in the order in which they were added; instants
// as the service writes them, for a million lines at a time; and when the clocks of a zone next show a time of day.

import { DAY, formatInstant, HOUR, type Instant, MINUTE, SECOND } from '../../core/domain/instant.ts';
import { invariant } from '../../core/domain/invariant.ts';
import { openZone } from '../../core/domain/zone.ts';

interface Slot<Event> {
  readonly at: Instant;
  readonly order: number;
  readonly event: Event;
}

export interface EventQueue<Event> {
  slots: Slot<Event>[];
  added: number;
}

export function emptyQueue<Event>(): EventQueue<Event> {
  return { slots: [], added: 0 };
}

export function addEvent<Event>(queue: EventQueue<Event>, slot: { readonly at: Instant; readonly event: Event }): void {
  const { slots } = queue;
  slots.push({ at: slot.at, order: queue.added, event: slot.event });
  queue.added += 1;
  let child = slots.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!precedes(slots[child]!, slots[parent]!)) return;
    swap(slots, child, parent);
    child = parent;
  }
}

/** Instant of the next event, or null when there is none. */
export function nextInstant<Event>(queue: EventQueue<Event>): Instant | null {
  return queue.slots[0]?.at ?? null;
}

/** Instants of the events that `wanted` names, in no order. */
export function instantsOf<Event>({ slots }: EventQueue<Event>, wanted: (event: Event) => boolean): readonly Instant[] {
  return slots.filter(({ event }) => wanted(event)).map(({ at }) => at);
}

/** The next event, which stays; null when there is none. */
export function peekEvent<Event>(queue: EventQueue<Event>): Event | null {
  return queue.slots[0]?.event ?? null;
}

/** Removes and returns the next event; the queue must not be empty. */
export function takeEvent<Event>(queue: EventQueue<Event>): Event {
  const { slots } = queue;
  const first = slots[0]!;
  const last = slots.pop()!;
  if (slots.length > 0) {
    slots[0] = last;
    sink(slots);
  }
  return first.event;
}

/** Drops the events that `unwanted` names; the others keep their order. */
export function dropEvents<Event>(queue: EventQueue<Event>, unwanted: (event: Event) => boolean): void {
  queue.slots = queue.slots.filter((slot) => !unwanted(slot.event)).sort((a, b) => (precedes(a, b) ? -1 : 1));
}

function sink<Event>(slots: Slot<Event>[]): void {
  let parent = 0;
  for (;;) {
    const left = 2 * parent + 1;
    if (left >= slots.length) return;
    const right = left + 1;
    const child = right < slots.length && precedes(slots[right]!, slots[left]!) ? right : left;
    if (!precedes(slots[child]!, slots[parent]!)) return;
    swap(slots, child, parent);
    parent = child;
  }
}

function precedes<Event>(a: Slot<Event>, b: Slot<Event>): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function swap<Event>(slots: Slot<Event>[], one: number, other: number): void {
  const kept = slots[one]!;
  slots[one] = slots[other]!;
  slots[other] = kept;
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));
const THREE_DIGITS = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'));
const dayTexts = new Map<number, string>();

/** `2026-08-01T00:49:18.020Z`: UTC, milliseconds; for instants from 1970 on. */
export function writeInstant(instant: Instant): string {
  const rest = instant % DAY;
  const hour = Math.floor(rest / HOUR);
  const minute = Math.floor((rest % HOUR) / MINUTE);
  const second = Math.floor((rest % MINUTE) / SECOND);
  const time = `${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[second]}.${THREE_DIGITS[rest % SECOND]}Z`;
  return dayText((instant - rest) / DAY) + time;
}

function dayText(day: number): string {
  const known = dayTexts.get(day);
  if (known !== undefined) return known;
  const text = formatInstant(day * DAY).slice(0, 11);
  dayTexts.set(day, text);
  return text;
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
