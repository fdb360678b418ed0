import type { MessagePort } from 'node:worker_threads'
import type { TenureInfo } from '@tributary/storage'
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
  /** Where other processes may become the main process: until when, and under which epoch this one is. */
  tenure: TenureInfo | undefined
  /** The thread's way to the coordination hub of the main thread. */
  coordination: MessagePort
}
