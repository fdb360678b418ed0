import { type Logger, type Metrics, noMetrics } from '@tributary/kernel'
import { type ChildRunner, createChildRunner } from './child-runner.ts'
import type { ChildExit, ChildSpec, ChildState } from './child-spec.ts'

/** The owner of the child processes of one server. */
export type Supervisor = AsyncDisposable & {
  /** Adds a child, and resolves when it is ready. Children are stopped in the reverse order. */
  add(spec: ChildSpec): Promise<void>
  /**
   * Stops every child, the newest first, each within its own deadlines. Never throws. Further calls wait for the same
   * end.
   */
  stop(): Promise<void>
  /** Returns the state of every child for the health report, in the order of adding. */
  state(): ChildState[]
  /** Calls `listener` for each unrequested exit, before the restart. Returns a function that removes the listener. */
  onExit(listener: (exit: ChildExit) => void): () => void
}

/**
 * Creates a supervisor without children. If a child does not become ready in `add`, it is stopped, and the call rejects
 * with its last lines. A child that ends later is restarted with growing delays (`ChildSpec.restart`) until `stop`.
 */
export const createSupervisor = ({
  logger,
  metrics = noMetrics,
}: {
  logger: Logger
  metrics?: Metrics
}): Supervisor => {
  const runners: ChildRunner[] = []
  const listeners = new Set<(exit: ChildExit) => void>()
  let stopping: Promise<void> | undefined

  const stopAll = async (): Promise<void> => {
    for (const runner of runners.toReversed()) await runner.stop()
  }
  const stop = (): Promise<void> => {
    stopping ??= stopAll()
    return stopping
  }

  return {
    async add(spec) {
      if (stopping !== undefined) throw new Error('The supervisor is stopping')
      if (runners.some((runner) => runner.state().name === spec.name)) {
        throw new Error(`There is a child named ${spec.name} already`)
      }
      const runner = createChildRunner(spec, {
        logger,
        metrics,
        onExit: (exit) => {
          for (const listener of listeners) listener(exit)
        },
      })
      runners.push(runner)
      await runner.start()
    },
    stop,
    state: () => runners.map((runner) => runner.state()),
    onExit(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    [Symbol.asyncDispose]: stop,
  }
}
