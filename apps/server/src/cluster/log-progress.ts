import { positionsTopic } from '@tributary/collect'
import type { Logger } from '@tributary/kernel'
import type { Coordination } from '@tributary/storage'
import type { LogProgress } from '@tributary/storage/kafka'

/** The value of an unknown offset. */
const unknownPosition = -1
/** Interval in ms at which the positions of the pipeline are read. */
const askMs = 1000
/** Time in ms after which unchanged positions are committed again, because Kafka deletes them after some days. */
const againMs = 3_600_000

/** Whether this process owns a partition. */
type Owns = (partition: number) => boolean

type Deps = { progress: LogProgress; logger: Pick<Logger, 'warn' | 'info'> }

/**
 * Runs a periodic task that may fail temporarily. Two runs never overlap. Logs once when the task fails, and once when
 * it works again.
 */
const createSafely = (logger: Deps['logger'], lines: { fails: string; works: string }) => {
  let running = false
  let failures = 0
  return async (task: () => Promise<void>): Promise<void> => {
    if (running) return
    running = true
    try {
      await task()
      if (failures > 1) logger.info({}, lines.works)
      failures = 0
    } catch (error) {
      // Kafka needs a moment for a group that was never used, so one failure is not logged.
      if (++failures === 2) logger.warn({ err: error }, lines.fails)
    } finally {
      running = false
    }
  }
}

/**
 * Publishes the pipeline positions of this process to Kafka, so that every collecting process can compute which
 * accepted records still wait. Returns a function that stops the publishing.
 */
export const publishLogProgress = ({
  progress,
  logger,
  coordination,
  owns = () => true,
}: Deps & { coordination: Pick<Coordination, 'subscribe'>; owns?: Owns }): (() => void) => {
  const safely = createSafely(logger, {
    fails: 'the positions of the pipeline cannot be written to Kafka now: other processes use older ones',
    works: 'the positions of the pipeline are written to Kafka again',
  })
  const published = new Map<number, { offset: number; at: number }>()
  /** Offsets that are not sent yet. Several threads of this process add offsets, also while others are being sent. */
  const news = new Map<number, number>()
  const publish = (): void =>
    void safely(async () => {
      for (;;) {
        // If a partition has a new owner, that process publishes its positions, and has already published a later one.
        for (const partition of news.keys()) if (!owns(partition)) news.delete(partition)
        if (news.size === 0) return
        const publishing = new Map(news)
        const at = performance.now()
        await progress.tell(publishing)
        for (const [partition, offset] of publishing) {
          published.set(partition, { offset, at })
          if (news.get(partition) === offset) news.delete(partition)
        }
      }
    })
  const unsubscribe = coordination.subscribe(positionsTopic, (positions) => {
    if (!Array.isArray(positions)) return
    const now = performance.now()
    const isNews = (offset: number, partition: number): boolean => {
      const last = published.get(partition)
      return last?.offset !== offset || now - last.at > againMs
    }
    for (const [partition, offset] of positions.map(Number).entries())
      if (offset !== unknownPosition && owns(partition) && isNews(offset, partition)) news.set(partition, offset)
    if (news.size > 0) publish()
  })
  return () => {
    unsubscribe()
    progress.close()
  }
}

/**
 * Reads the pipeline positions of other processes from Kafka, and publishes them in this process, in the same way as
 * the positions of its own pipeline. Returns a function that stops both.
 */
export const followLogProgress = ({
  progress,
  logger,
  coordination,
  owns = () => false,
}: Deps & { coordination: Pick<Coordination, 'publish'>; owns?: Owns }): (() => void) => {
  const safely = createSafely(logger, {
    fails: 'the positions of the pipeline cannot be read from Kafka now: this process uses older ones',
    works: 'the positions of the pipeline are read from Kafka again',
  })
  const look = (): void =>
    void safely(async () => {
      const positions = await progress.ask()
      // For its own partitions, this process has later positions than Kafka.
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
