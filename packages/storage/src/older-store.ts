/** The last commit of version 0.1, which this version brings to its own schemas. */
const lastEarlierCommit = '8f80beb3'

/** Thrown for a store that this version cannot bring to its schema. Nothing was changed. */
export class OlderStore extends Error {
  override readonly name = 'OlderStore'
  /**
   * @param store its name, which begins the message
   * @param found what shows that it is older
   */
  constructor(store: string, found: string) {
    super(
      `${store} cannot be brought to this version of Tributary: ${found}. Nothing was changed. Start version 0.1 of commit ${lastEarlierCommit} with it ` +
        'once, which brings it to the schema that this version needs, then stop that and start this one again.',
    )
  }
}
