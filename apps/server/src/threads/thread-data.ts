import { type MessagePort, workerData } from 'node:worker_threads'
import type { PartitionGroup, TenureInfo } from '@tributary/storage'
import type { Addresses } from '../boot/engines.ts'
import type { Config } from '../config/config.ts'

/** The data that the main thread passes to a role's thread at its start. */
export type ThreadData = {
  addresses: Addresses
  secretKey: string
  config: Pick<
    Config,
    | 'dataDir'
    | 'logLevel'
    | 'egressAllow'
    | 'deliveryRetryMs'
    | 'profileWaitMs'
    | 'diskReserveBytes'
    | 'eventStore'
    | 'retention'
    | 'fault'
    | 'log'
  > & {
    /** Whether signals are switched on. */
    signals: boolean
  }
  /** The tenure of the thread's work, if other processes may take over: its end and its epoch. */
  tenure: TenureInfo | undefined
  /** The partitions that the thread processes, if processes share them; all unless given. */
  group: PartitionGroup | undefined
  /** The thread's connection to the coordination hub of the main thread. */
  coordination: MessagePort
}

/** Data of a thread that is created in advance: the port on which it receives its `ThreadData` when it should begin. */
export type ThreadBeginning = { begin: MessagePort }

/** Waits in a role's thread, after its code is loaded, until the main thread sends its data. */
export const receiveThreadData = async (): Promise<ThreadData> => {
  const { begin } = workerData as ThreadBeginning
  const data = await new Promise<ThreadData>((resolve) => begin.once('message', resolve))
  begin.close()
  return data
}
