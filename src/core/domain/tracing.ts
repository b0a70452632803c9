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
