// What of a configuration is secret: the texts that may not be printed, logged or traced, wherever they turn up.

import type { Configuration } from './check-configuration.ts';

/** Every secret value that is given, and the passwords inside of addresses. */
export function secretsOf(configuration: Configuration): readonly string[] {
  const { databaseUrl, source, mail, telemetry, server, alerts, merchants, merchantsFrom } = configuration;
  const addresses = [
    databaseUrl,
    source,
    merchantsFrom?.url,
    mail?.url,
    telemetry.tracesUrl,
    ...alerts.webhooks.map(({ url }) => url),
  ];
  const tokens = server.tokens !== undefined && 'secret' in server.tokens ? [server.tokens.secret] : [];
  const ofMerchants = Object.values(merchants).flatMap((one) => [
    one.apiKey,
    one.apiSecret,
    one.dashboard?.numero,
    one.dashboard?.password,
    one.notifications?.current,
    one.notifications?.previous,
    ...passwordOf(one.source),
  ]);
  const given = [
    ...addresses.flatMap(passwordOf),
    ...tokens,
    merchantsFrom?.token,
    ...server.operators.map(({ token }) => token),
    ...alerts.webhooks.map(({ secret }) => secret),
    ...ofMerchants,
  ];
  return [...new Set(given.filter((one) => one !== undefined && one !== ''))] as readonly string[];
}

/** As it stands in the address, and as it is meant. One that is its user's own name is no secret, and is in every text. */
function passwordOf(address: string | undefined): readonly string[] {
  const [, user, written] = /^[a-z][a-z\d+.-]*:\/\/([^/?#@:]*):([^/?#]*)@/i.exec(address ?? '') ?? [];
  if (written === undefined || written === user) return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}
