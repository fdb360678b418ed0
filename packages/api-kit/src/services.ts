import type { EventStore } from '@tributary/storage'
import type { Db } from './db.ts'
import type { ProfileLedger } from './profiles/ledger.ts'

/** The services for counting profiles. */
export type CountServices = { db: Db; eventStore: EventStore; profileLedger: ProfileLedger }
