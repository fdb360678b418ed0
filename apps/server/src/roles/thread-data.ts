import { type MessagePort, workerData } from 'node:worker_threads'
import type { PartitionGroup, TenureInfo } from '@tributary/storage'
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
  /** Where other processes may take over: until when, and under which epoch this one has what the thread works on. */
  tenure: TenureInfo | undefined
  /** The partitions it works on, where processes share them; all unless given. */
  group: PartitionGroup | undefined
  /** The thread's way to the coordination hub of the main thread. */
  coordination: MessagePort
}

/** What a thread is made with: where its data comes from, when it is to begin. */
export type ThreadBeginning = { begin: MessagePort }

/** Waits in a role's thread, which has all of its code by then, until the main thread has it begin; resolves to what it gets. */
export const receiveThreadData = async (): Promise<ThreadData> => {
  const { begin } = workerData as ThreadBeginning
  const data = await new Promise<ThreadData>((resolve) => begin.once('message', resolve))
  begin.close()
  return data
}
