import type { CollectingProcesses } from '../cluster/collecting-processes.ts'
import { followLogProgress, publishLogProgress } from '../cluster/log-progress.ts'
import { createRemoteStream } from '../cluster/stream/remote-stream.ts'
import type { Config } from '../config/config.ts'
import { createThreads } from '../threads/threads.ts'
import { endProcess } from './announce.ts'
import type { Stores } from './open-stores.ts'

/** Opens the logs, and starts the threads of the roles. They end before the stores. */
export const startRoles = async (config: Config, stack: AsyncDisposableStack, stores: Stores) => {
  const { logger, metrics, disk, tenure, loaded, wasStandby, logs, folder, engines, announced, hub, secretKey } = stores
  const threads = await createThreads(config, engines, secretKey, hub, {
    tenure,
    loaded,
    logger,
    relay: metrics.relay,
    onReplaced: endProcess,
    announced,
  })
  const { groups } = threads
  stack.defer(() => groups?.close())
  const collecting: { processes?: CollectingProcesses } = {}
  // The process counts as collecting until none of its requests is on its way to the log.
  stack.defer(() => collecting.processes?.stop(requests.isUnsure?.()))
  const requests = await logs.writer('requests', {
    onCommit: () => threads.pipeline?.wake(),
    onReplaced: ({ message }) => endProcess(message),
    ...(folder === undefined ? {} : { folder }),
  })
  stack.defer(() => requests.close())
  // Delivering processes append to this log, too.
  const outcomesWriter = logs.isShared('outcomes')
    ? await logs.writer('outcomes', { onReplaced: ({ message }) => endProcess(message) })
    : undefined
  stack.defer(() => outcomesWriter?.close())
  const requestsReader = await logs.reader('requests')
  stack.defer(() => requestsReader.close())
  const progress = await logs.progress()
  // One of the two responses is enough: a partition without a leader does not respond to other processes, either.
  groups?.watchLog(() => Promise.any([requestsReader.starts(), progress?.ask() ?? requestsReader.starts()]))
  if (progress !== undefined) {
    const owns = (partition: number): boolean => groups?.owns('pipeline', partition) !== false
    stack.defer(publishLogProgress({ progress, logger, coordination: hub.coordination, owns }))
    if (groups !== undefined) stack.defer(followLogProgress({ progress, logger, coordination: hub.coordination, owns }))
  }
  // On Kafka, the topics of the stream exist at this point, created by this process or by the previous main process.
  const isStreamThere = wasStandby || groups !== undefined
  const pipelineStarts = threads.pipeline?.start()
  stack.defer(() => threads.pipeline?.stop())
  if (!isStreamThere) await pipelineStarts
  // Delivery, profiles, and signals read the stream and do not depend on each other, so they stop in parallel.
  stack.defer(async () => {
    await Promise.all([threads.delivery?.stop(), threads.profiles?.stop(), threads.signals?.stop()])
  })
  await Promise.all([pipelineStarts, threads.delivery?.start(), threads.profiles?.start(), threads.signals?.start()])
  // The pipeline has created the stream at this point.
  const deliveries = threads.pipeline === undefined ? undefined : await logs.reader('stream')
  stack.defer(() => deliveries?.close())
  const { pipeline } = threads
  // Delivery creates the log of outcomes, as the pipeline creates the stream.
  const outcomes = threads.delivery === undefined ? undefined : await logs.reader('outcomes')
  stack.defer(() => outcomes?.close())
  const outbound =
    pipeline === undefined || outcomes === undefined
      ? undefined
      : {
          streamFor: (workspaceId: string) => createRemoteStream(pipeline, workspaceId),
          outcomes,
          mayAppend: () => disk.ok(),
        }
  return { threads, collecting, requests, outcomesWriter, requestsReader, deliveries, outbound }
}

/** The roles and all else that `startRoles` has started. */
export type Roles = Awaited<ReturnType<typeof startRoles>>
