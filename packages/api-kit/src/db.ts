import type { Database } from '@tributary/storage'
import type { Kysely, Transaction } from 'kysely'

export type Db = Kysely<Database>
export type Tx = Transaction<Database>
