import { positionsTopic } from '@tributary/collect'
import type { Logger } from '@tributary/kernel'
import type { Coordination } from '@tributary/storage'
import type { LogProgress } from '@tributary/storage/kafka'

/** Stands for an offset that is not known. */
const unknownPosition = -1
/** How often it is asked how far the pipeline is, ms. */
const askMs = 1000
/** Positions that have not changed are committed again so often, ms: Kafka forgets them after days. */
const againMs = 3_600_000

/** Whether this process processes a partition itself. */
type Owns = (partition: number) => boolean

type Deps = { progress: LogProgress; logger: Pick<Logger, 'warn' | 'info'> }

/** Does something now and then that may fail for a while, one at a time; says once that it fails, and once that it does not any more. */
const createSafely = (logger: Deps['logger'], what: string) => {
  let running = false
  let failures = 0
  return async (task: () => Promise<void>): Promise<void> => {
    if (running) return
    running = true
    try {
      await task()
      if (failures > 1) logger.info({}, `${what} again`)
      failures = 0
    } catch (error) {
      // A group that was never used takes Kafka a moment.
      if (++failures === 2) logger.warn({ err: error }, `${what} not at the moment`)
    } finally {
      running = false
    }
  }
}

/**
 * Passes on how far the pipeline of this process is, so that every process that collects knows what of what it accepted
 * still waits. Resolves how to stop.
 */
export const tellLogProgress = ({
  progress,
  logger,
  coordination,
  owns = () => true,
}: Deps & { coordination: Pick<Coordination, 'subscribe'>; owns?: Owns }): (() => void) => {
  const safely = createSafely(logger, 'how far the pipeline is can be told to other processes')
  const told = new Map<number, { offset: number; at: number }>()
  /** Offsets that are not sent yet: several threads of this process publish theirs, also while others are being sent. */
  const news = new Map<number, number>()
  const tell = (): void =>
    void safely(async () => {
      for (;;) {
        // What another process has by now is its own to tell, which has told more.
        for (const partition of news.keys()) if (!owns(partition)) news.delete(partition)
        if (news.size === 0) return
        const telling = new Map(news)
        const at = performance.now()
        await progress.tell(telling)
        for (const [partition, offset] of telling) {
          told.set(partition, { offset, at })
          if (news.get(partition) === offset) news.delete(partition)
        }
      }
    })
  const unsubscribe = coordination.subscribe(positionsTopic, (positions) => {
    if (!Array.isArray(positions)) return
    const now = performance.now()
    const isNews = (offset: number, partition: number): boolean => {
      const last = told.get(partition)
      return last?.offset !== offset || now - last.at > againMs
    }
    for (const [partition, offset] of positions.map(Number).entries())
      if (offset !== unknownPosition && owns(partition) && isNews(offset, partition)) news.set(partition, offset)
    if (news.size > 0) tell()
  })
  return () => {
    unsubscribe()
    progress.close()
  }
}

/** Hears how far the pipeline of another process is, and publishes it here as that does there. Resolves how to stop. */
export const followLogProgress = ({
  progress,
  logger,
  coordination,
  owns = () => false,
}: Deps & { coordination: Pick<Coordination, 'publish'>; owns?: Owns }): (() => void) => {
  const safely = createSafely(logger, 'how far the pipeline is can be asked')
  const look = (): void =>
    void safely(async () => {
      const positions = await progress.ask()
      // Of its own partitions this process knows it sooner.
      coordination.publish(
        positionsTopic,
        positions.map((offset, partition) => (owns(partition) ? unknownPosition : offset)),
      )
    })
  const timer = setInterval(look, askMs)
  look()
  return () => {
    clearInterval(timer)
    progress.close()
  }
}
