/** The last commit of version 0.1, whose schemas are the baseline of both stores. */
const lastEarlierCommit = '22d71ae7'

/** Thrown for a store that is not at the baseline, and that this version cannot bring there. Nothing was changed. */
export class OlderStore extends Error {
  override readonly name = 'OlderStore'
  /**
   * @param store its name, which begins the message
   * @param found what shows that it is not at the baseline
   */
  constructor(store: string, found: string) {
    super(
      `${store} cannot be brought to this version of Tributary: ${found}. Nothing was changed. Start version 0.1 of commit ${lastEarlierCommit} with it ` +
        'once, which brings it to the schema that this version needs, then stop that and start this one again.',
    )
  }
}
