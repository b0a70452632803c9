// What is thrown where a command cannot begin: its configuration or its words are wrong. Says what to do, and no secret.

/** Wrong configuration or usage: the command fails with this sentence and status 3. */
export class ConfigurationInvalid extends Error {
  override readonly name = 'ConfigurationInvalid';
}
