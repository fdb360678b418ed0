import type { Control } from '@tributary/control'
import { type Logger, systemClock } from '@tributary/kernel'
import { type LogWriter, openLogReader } from '@tributary/storage'
import type { Config } from './config.ts'
import { type Engines, folders } from './engines.ts'
import type { Mail } from './mail/mail.ts'
import { applyEventRetention, askPositions, createLogRetention } from './retention.ts'
import type { Threads } from './roles/threads.ts'

const minute = 60_000
/** How far apart unused pictures are looked for, ms. */
const sweepMs = 6 * 60 * minute

/** Trims both logs, clears what is over, tells of failing destinations and backlogs, about once a minute; sweeps pictures. */
export const createJobs = (
  config: Config,
  deps: {
    engines: Engines
    requests: LogWriter
    threads: Threads
    mail: Pick<Mail, 'pruneOutbox'>
    control: Pick<Control, 'clearExpired' | 'sweepImages' | 'tellBackloggedWorkspaces' | 'tellFailingDestinations'>
    logger: Logger
  },
) => {
  const { engines, requests, threads, mail, control, logger } = deps
  const at = folders(config.dataDir)
  // The deliveries log is made by the pipeline, which runs before the first job does.
  const requestsReader = openLogReader({ dir: at.requests })
  const deliveriesReader = threads.pipeline === undefined ? undefined : openLogReader({ dir: at.deliveries })
  const retentions = [
    createLogRetention({
      log: requests,
      positionsBefore: (time) => requestsReader.positionsBefore(time),
      keepMs: config.retention.logMs,
      needed: () => askPositions(threads.pipeline, 'positions'),
      clock: systemClock,
    }),
  ]
  const { pipeline } = threads
  if (pipeline !== undefined && deliveriesReader !== undefined)
    retentions.push(
      createLogRetention({
        log: {
          trim: async (before) => void (await pipeline.ask('deliveries-trim', before)),
        },
        positionsBefore: (time) => deliveriesReader.positionsBefore(time),
        keepMs: config.retention.logMs,
        needed: () => askPositions(threads.delivery, 'needed'),
        clock: systemClock,
      }),
    )
  const run = async (): Promise<void> => {
    // Without both consumers nobody knows what is still needed.
    if (threads.pipeline?.running() && threads.delivery?.running())
      for (const retention of retentions) await retention.run()
    await control.clearExpired()
    await mail.pruneOutbox()
    await control.tellFailingDestinations()
    await control.tellBackloggedWorkspaces()
  }
  const guarded = (): void =>
    void run().catch((error) => logger.warn({ error: String(error) }, 'a periodic job failed and is tried again'))
  const sweep = (): void =>
    void control
      .sweepImages()
      .catch((error) => logger.warn({ error: String(error) }, 'looking for unused pictures failed and is tried again'))
  const timers: NodeJS.Timeout[] = []
  return {
    async start(): Promise<void> {
      await applyEventRetention(engines.eventStore, config.retention, logger)
      timers.push(setInterval(guarded, minute), setInterval(sweep, sweepMs))
      guarded()
    },
    stop(): void {
      for (const timer of timers) clearInterval(timer)
      requestsReader.close()
      deliveriesReader?.close()
    },
  }
}
