import { positionsTopic } from '@tributary/collect'
import type { Logger } from '@tributary/kernel'
import type { Coordination } from '@tributary/storage'
import type { LogProgress } from '@tributary/storage/kafka'

/** How often it is asked how far the pipeline is, ms. */
const askMs = 1000
/** Positions that have not changed are committed again so often, ms: Kafka forgets them after days. */
const againMs = 3_600_000

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
}: Deps & { coordination: Pick<Coordination, 'subscribe'> }): (() => void) => {
  const safely = createSafely(logger, 'how far the pipeline is can be told to other processes')
  let told = { text: '', at: 0 }
  const unsubscribe = coordination.subscribe(positionsTopic, (positions) => {
    const text = JSON.stringify(positions)
    if (!Array.isArray(positions) || (text === told.text && performance.now() - told.at < againMs)) return
    void safely(async () => {
      await progress.tell(positions.map(Number))
      told = { text, at: performance.now() }
    })
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
}: Deps & { coordination: Pick<Coordination, 'publish'> }): (() => void) => {
  const safely = createSafely(logger, 'how far the pipeline is can be asked')
  const look = (): void =>
    void safely(async () => {
      coordination.publish(positionsTopic, await progress.ask())
    })
  const timer = setInterval(look, askMs)
  look()
  return () => {
    clearInterval(timer)
    progress.close()
  }
}
