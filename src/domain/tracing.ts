// The port of tracing: how work that spans several parts is followed, for whoever has a place to look at it. Attributes hold
// references and figures; never a secret, a phone number or a text of the service.

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Tracing {
  /** Does `work`, whose own spans lie within this one; what it throws goes on to the caller. Never fails by itself. */
  span<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
}

export const NO_TRACING: Tracing = { span: (_name, _attributes, work) => work() };
