import type { EventStore } from '@tributary/storage'
import type { Db } from './db.ts'
import type { ProfileLedger } from './profiles/ledger.ts'

/** What counting profiles needs. */
export type CountServices = { db: Db; eventStore: EventStore; profileLedger: ProfileLedger }
