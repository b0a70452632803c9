// The port of what a process counts of its own work, for its metrics. Whatever can be read from the store is not counted
// here: every process would give its own part of it.

export interface Measures {
  /** Lines that were new to the mirror. */
  entriesRead(count: number): void;
  jobEnded(job: { readonly kind: string; readonly outcome: 'done' | 'failed'; readonly milliseconds: number }): void;
  /** `count`: number of deliveries in the attempt. */
  deliveryTried(attempt: { readonly channel: string; readonly outcome: string; readonly count: number }): void;
  callAnswered(call: {
    readonly method: string;
    /** As declared, with its parameters' names; never a called address. */
    readonly route: string;
    readonly status: number;
    readonly milliseconds: number;
  }): void;
}

export const NO_MEASURES: Measures = {
  entriesRead: () => {},
  jobEnded: () => {},
  deliveryTried: () => {},
  callAnswered: () => {},
};

// The port of tracing: how work that spans several parts is followed, where there is a place to see it. Attributes hold
// references and figures; never a secret, a phone number or a text of the service.

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type Note = (more: SpanAttributes) => void;

export interface Tracing {
  /**
   * Does `work`, whose own spans lie within this one; what it throws goes on to the caller. `note` adds what is known only
   * at the end. Never fails by itself.
   */
  span<T>(name: string, attributes: SpanAttributes, work: (note: Note) => Promise<T>): Promise<T>;
}

export const NO_TRACING: Tracing = { span: (_name, _attributes, work) => work(() => {}) };
