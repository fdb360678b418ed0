import type { Tx } from '@tributary/api-kit'

/** What the API needs of those who make profiles. */
export type ProfileLedger = {
  /**
   * Takes identifiers of a profile apart from its others, in this transaction: they become a profile, whose id it
   * resolves to. Refused when one of them is not of the profile, or none would stay.
   */
  split(
    tx: Tx,
    workspaceId: string,
    request: {
      profileId: string
      identifiers: readonly { type: string; value: string }[]
      actorId: string
      time: Date
    },
  ): Promise<{ made: string } | { refused: 'unknown_identifier' | 'nothing_left' }>
  /** A condition on a text column of the event store: whether its value stands for nobody. */
  unusableInEvents(column: string): string
}
