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
    | 'diskReserveBytes'
    | 'eventStore'
    | 'retention'
    | 'fault'
    | 'log'
  > & {
    /** Whether signals are switched on. */
    signals: boolean
  }
  /** The tenure of the thread's work, where other processes may take over: its end and its epoch. */
  tenure: TenureInfo | undefined
  /** The partitions it works on, where processes share them; all unless given. */
  group: PartitionGroup | undefined
  /** The thread's way to the coordination hub of the main thread. */
  coordination: MessagePort
}

/** Data of a new thread: the port over which it gets its work when it is to begin. */
export type ThreadBeginning = { begin: MessagePort }

/** Waits in a role's thread, which has all of its code by then, until the main thread has it begin; resolves to what it gets. */
export const receiveThreadData = async (): Promise<ThreadData> => {
  const { begin } = workerData as ThreadBeginning
  const data = await new Promise<ThreadData>((resolve) => begin.once('message', resolve))
  begin.close()
  return data
}
