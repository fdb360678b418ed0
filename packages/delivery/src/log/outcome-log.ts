import { type OutboundOutcome, outcomesBody, outcomesOfRecord } from '@tributary/contract'
import { type Clock, faultPoint, type Logger, type Metrics } from '@tributary/kernel'
import type { LogEntry, LogWriter } from '@tributary/storage'

export type OutcomeLog = {
  /** Adds the outcome of a row of a producer, and calls `settle` when it is durable. */
  push(producer: string, outcome: OutboundOutcome, settle: () => void): void
  /** Outcomes that are not durable yet. */
  buffered(): number
  /** Appends pushed outcomes. Never rejects: a later call retries a failed append. */
  flush(): Promise<void>
}

/** Maximum number of outcomes appended in one commit. */
const outcomesAtOnce = 20 * outcomesOfRecord
/** Back-off after a failed append, ms. */
const restMs = 500

type Pushed = { producer: string; outcome: OutboundOutcome; settle: () => void }

const byProducer = (pushed: readonly Pushed[]): Map<string, Pushed[]> => {
  const groups = new Map<string, Pushed[]>()
  for (const each of pushed) {
    const group = groups.get(each.producer)
    if (group === undefined) groups.set(each.producer, [each])
    else group.push(each)
  }
  return groups
}

const entriesOf = (producer: string, pushed: readonly Pushed[]): LogEntry[] => {
  const entries: LogEntry[] = []
  for (let at = 0; at < pushed.length; at += outcomesOfRecord) {
    const outcomes = pushed.slice(at, at + outcomesOfRecord).map(({ outcome }) => outcome)
    entries.push({ key: producer, meta: '{}', body: Buffer.from(outcomesBody(outcomes)) })
  }
  return entries
}

/**
 * Appends outcomes to the log of outcomes, each at least once, for each producer in the order of `push`. A failed
 * append is repeated before any later outcome of its producer.
 */
export const createOutcomeLog = (deps: {
  log: Pick<LogWriter, 'appendGroup'>
  clock: Clock
  logger: Logger
  metrics: Metrics
}): OutcomeLog => {
  const { log, clock, logger, metrics } = deps
  let waiting: Pushed[] = []
  let retryAt = 0
  let running: Promise<void> | undefined

  const send = async (): Promise<void> => {
    const batch = waiting
    const done = new Set<Pushed>()
    try {
      for (const [producer, pushed] of byProducer(batch))
        for (let at = 0; at < pushed.length; at += outcomesAtOnce) {
          const inFlight = pushed.slice(at, at + outcomesAtOnce)
          await log.appendGroup(entriesOf(producer, inFlight))
          faultPoint('delivery.after-outcomes')
          metrics.count('delivery_outcomes_reported', inFlight.length)
          for (const each of inFlight) {
            done.add(each)
            each.settle()
          }
        }
    } catch (error) {
      retryAt = clock() + restMs
      logger.warn({ err: error, outcomes: batch.length }, 'log of outcomes cannot be written; trying again')
    }
    waiting = waiting.filter((each) => !done.has(each))
  }

  return {
    push: (producer, outcome, settle) => {
      waiting.push({ producer, outcome, settle })
    },
    buffered: () => waiting.length,
    flush: () => {
      if (running !== undefined) return running
      if (waiting.length === 0 || clock() < retryAt) return Promise.resolve()
      running = send().finally(() => {
        running = undefined
      })
      return running
    },
  }
}
