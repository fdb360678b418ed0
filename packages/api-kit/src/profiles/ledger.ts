import type { Tx } from '../db.ts'

type PlainIdentifier = { type: string; value: string }

/**
 * Identifiers of deleted people, the number of profiles that had one of them, and the position of the ledger.
 * Identifiers of the same person have the same number.
 */
export type ForgottenPeople = {
  identifiers: readonly (PlainIdentifier & { person: number })[]
  profiles: number
  sequence: number
}

/** The functions of profile resolution that the API needs. */
export type ProfileLedger = {
  /**
   * Splits identifiers off a profile, in this transaction. They become a new profile, whose ID is returned. Refused if
   * an identifier does not belong to the profile, or if the profile would have none left.
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
  /** Returns the column `owner` of stored events that belong to an identifier, as a decimal number. */
  ownerOf(workspaceId: string, identifier: { type: string; value: string }): string
  /**
   * Deletes or suppresses people in this transaction. With `erases`, profiles with one of the identifiers are deleted,
   * and events received until then are ignored for profiles. With `suppresses`, later events get no profile. Undefined
   * if the workspace does not exist.
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
  /** Replaces values by hashes in the ledger of a workspace, up to an entry. The call can be repeated. */
  forgetValues(
    workspaceId: string,
    request: { identifiers: readonly PlainIdentifier[]; sequence: number },
  ): Promise<void>
  /**
   * Lifts the suppression of the identifier with this hash, in this transaction; returns false if it is not suppressed.
   */
  release(tx: Tx, workspaceId: string, hash: string): Promise<boolean>
  /** Returns the hashes of a value as an identifier of any kind that was ever deleted or suppressed. */
  hashesOf(workspaceId: string, value: string): Promise<string[]>
  /**
   * Restores hashes that the database has lost, in this transaction: suppressions apply immediately. Returns the
   * identifiers of profiles that have one of these hashes; undefined if the workspace does not exist.
   */
  restoreHashes(tx: Tx, missing: MissingHashes): Promise<readonly (PlainIdentifier & { hash: string })[] | undefined>
}

/**
 * Facts about a workspace that are stored beside its database and are missing in it: keyed hashes of identifiers and
 * their times.
 */
export type MissingHashes = {
  workspaceId: string
  key: Uint8Array
  changes: number
  /** `h` is the hash, `o` the column `owner` of its stored events if known. */
  hashes: readonly { h: string; y: string; o?: string | null; d: number | null; s: number | null }[]
}

/** The store of hashes of deleted and suppressed users, beside the database. */
export type ForgottenHashes = {
  /** Stores the changes of a workspace durably. */
  keep(workspaceId: string): Promise<void>
  keepAll(): Promise<void>
  missing(): Promise<MissingHashes[]>
}
