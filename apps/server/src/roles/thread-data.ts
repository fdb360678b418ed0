import type { MessagePort } from 'node:worker_threads'
import type { Config } from '../config/config.ts'
import type { Addresses } from '../engines.ts'

/** What the main thread hands to a role's thread at its start. */
export type ThreadData = {
  addresses: Addresses
  secretKey: string
  config: Pick<
    Config,
    | 'dataDir'
    | 'logLevel'
    | 'egressAllow'
    | 'deliveryRetryMs'
    | 'diskReserveBytes'
    | 'eventStore'
    | 'retention'
    | 'fault'
    | 'log'
  > & {
    /** Whether signals are switched on. */
    signals: boolean
  }
  /** The thread's way to the coordination hub of the main thread. */
  coordination: MessagePort
}
