import type { Database } from '@tributary/storage'
import type { Kysely } from 'kysely'
import { forgetPeople, forgetValues, hashesOfValue, releaseSuppression } from './forget.ts'
import { restoreHashes } from './forgotten-file.ts'
import { ownerOf } from './owners/owner.ts'
import { splitProfile } from './split.ts'

/** The operations of the API on ledgers and on the profiles made from them. */
export const createProfileLedger = (db: Kysely<Database>) => ({
  split: splitProfile,
  ownerOf,
  forget: forgetPeople,
  forgetValues: (workspaceId: string, request: Parameters<typeof forgetValues>[2]): Promise<void> =>
    forgetValues(db, workspaceId, request),
  release: releaseSuppression,
  restoreHashes,
  hashesOf: (workspaceId: string, value: string): Promise<string[]> => hashesOfValue(db, workspaceId, value),
})
