import type { Logger } from '@tributary/kernel'
import { pause, Stopped } from '../../retrying.ts'

export type LifecycleDeps = {
  /** Works until `isRunning` returns false, or `stopReading` or the end interrupts it. */
  run(): Promise<void>
  /** Called when reading must end. May be called more than once. */
  stopReading(): void
  /** Begins to store the waiting rows. */
  flush(): void
  /** Whether everything is committed. */
  isIdle(): boolean
  /** Releases all resources at the end; pending waits reject with the reason. */
  close(reason: Stopped): void
  /** How long `stop` waits for uncommitted records, ms. */
  drainMs: number
  logger: Logger
  /** Called once with the error that ended the pipeline, unless it was stopped. */
  onFault?: ((error: unknown) => void) | undefined
}

export type Lifecycle = {
  /** Begins to run. Throws if called twice. */
  start(): void
  /** Stops reading, waits until everything is committed (at most `drainMs`), and ends. */
  stop(): Promise<void>
  /** Ends immediately because of an error. Only the first is reported, and none after the end. */
  fail(error: unknown): void
  isRunning(): boolean
  /** Aborted at the end. */
  readonly signal: AbortSignal
}

/** The phases of a pipeline: new, running, draining, ended, in this order; a fault ends it from any phase. */
export const createLifecycle = (deps: LifecycleDeps): Lifecycle => {
  const ending = new AbortController()
  let phase: 'new' | 'running' | 'draining' | 'ended' = 'new'
  let loop: Promise<void> = Promise.resolve()

  const end = (cause?: unknown): void => {
    phase = 'ended'
    deps.stopReading()
    ending.abort()
    deps.close(new Stopped(cause))
  }

  const fail = (error: unknown): void => {
    if (phase === 'ended') return
    deps.logger.error({ err: error }, 'pipeline ended with a fault')
    end(error)
    deps.onFault?.(error)
  }

  return {
    start() {
      if (phase !== 'new') throw new Error('A pipeline starts once')
      phase = 'running'
      loop = deps.run().catch((error: unknown) => {
        if (!(error instanceof Stopped)) fail(error)
      })
    },
    async stop() {
      if (phase === 'ended') return
      const deadline = AbortSignal.any([ending.signal, AbortSignal.timeout(deps.drainMs)])
      phase = 'draining'
      deps.stopReading()
      await Promise.race([loop, pause(deps.drainMs, deadline)])
      while (!deadline.aborted && !deps.isIdle()) {
        deps.flush()
        await pause(2, deadline)
      }
      end()
      await loop
    },
    fail,
    isRunning: () => phase === 'running',
    signal: ending.signal,
  }
}
