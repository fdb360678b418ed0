import type { Tx } from '../db.ts'

type PlainIdentifier = { type: string; value: string }

/**
 * Identifiers of deleted people, with one number for those of one person, how many profiles had one of them, and the position of the
 * ledger.
 */
export type ForgottenPeople = {
  identifiers: readonly (PlainIdentifier & { person: number })[]
  profiles: number
  sequence: number
}

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
  /** The column `owner` of stored events that belong to an identifier, as a decimal number. */
  ownerOf(workspaceId: string, identifier: { type: string; value: string }): string
  /**
   * Forgets people in this transaction: profiles with one of the identifiers are gone, and events received until then
   * teach nothing of them (`erases`); later events are refused a profile (`suppresses`). Undefined when there is no such
   * workspace.
   */
  forget(
    tx: Tx,
    workspaceId: string,
    request: {
      requestId: string
      identifiers: readonly PlainIdentifier[]
      erases: boolean
      suppresses: boolean
      actorId: string
      time: Date
    },
  ): Promise<ForgottenPeople | undefined>
  /** Puts hashes in place of values in the ledger of a workspace, up to an entry. May be done again. */
  forgetValues(
    workspaceId: string,
    request: { identifiers: readonly PlainIdentifier[]; sequence: number },
  ): Promise<void>
  /** Lifts the suppression of the identifier with this hash, in this transaction; false when there is none. */
  release(tx: Tx, workspaceId: string, hash: string): Promise<boolean>
  /** The hashes that a value has as an identifier of any kind that was ever forgotten. */
  hashesOf(workspaceId: string, value: string): Promise<string[]>
  /**
   * Restores hashes that the database has lost, in this transaction: suppressions hold at once. Resolves to the identifiers of profiles
   * that have one of them; to undefined when there is no such workspace.
   */
  restoreHashes(tx: Tx, missing: MissingHashes): Promise<readonly (PlainIdentifier & { hash: string })[] | undefined>
}

/** Facts about a workspace that are stored beside its database and were lost there: keyed hashes of identifiers and their times. */
export type MissingHashes = {
  workspaceId: string
  key: Uint8Array
  changes: number
  /** `h` is the hash, `o` the column `owner` of its stored events where it is known. */
  hashes: readonly { h: string; y: string; o?: string | null; d: number | null; s: number | null }[]
}

/** Where hashes of forgotten users are kept beside the database. */
export type ForgottenHashes = {
  /** Writes down what has changed of a workspace, or of any, durably. */
  keep(workspaceId: string): Promise<void>
  keepAll(): Promise<void>
  missing(): Promise<MissingHashes[]>
}
